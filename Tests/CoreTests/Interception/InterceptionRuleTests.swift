import BelfryProtocol
import BelfryTerms
@testable import Interception
import Testing

/// Whether the extension runs, and how long it has: R1 and R3 as tables.
@Suite struct InterceptionRuleTests {
    private static func rule(_ isVoIP: Bool, _ isBackground: Bool, _ isMutable: Bool, _ hasText: Bool)
        -> InterceptionRule
    {
        var rule = InterceptionRule()
        (rule.isVoIP, rule.isBackground, rule.isMutable, rule.alertHasText) = (isVoIP, isBackground, isMutable, hasText)
        return rule
    }

    @Test("R1 one of all sixteen cases is intercepted, and each other one names the first condition that fails")
    func everyCase() {
        for bits in 0..<16 {
            let (voip, background, mutable, text) = (bits & 8 > 0, bits & 4 > 0, bits & 2 > 0, bits & 1 > 0)
            let expected: PassthroughReason? =
                voip ? .voip : background ? .background : !mutable ? .noMutableContent : !text ? .noAlertText : nil
            #expect(Self.rule(voip, background, mutable, text).passthrough == expected)
        }
        var rule = InterceptionRule()
        #expect(rule.passthrough == .noMutableContent)
        rule.isMutable = true
        #expect(rule.passthrough == .noAlertText)
        for bits in 0..<16 {
            var rule = Self.rule(bits & 8 > 0, bits & 4 > 0, bits & 2 > 0, bits & 1 > 0)
            rule.isExpired = true
            #expect(rule.passthrough == .expired)
        }
    }

    @Test("R1 an extension with the filtering entitlement gets an alert without text, and else nothing more")
    func filtering() {
        for bits in 0..<16 {
            var rule = Self.rule(bits & 8 > 0, bits & 4 > 0, bits & 2 > 0, bits & 1 > 0)
            let without = rule.passthrough
            rule.mayBeFiltered = true
            #expect(rule.passthrough == (without == .noAlertText ? nil : without))
            rule.isExpired = true
            #expect(rule.passthrough == .expired)
        }
    }

    @Test("R3 the extension is told one second before the end, half-way through a budget under two seconds")
    func notice() {
        let start = Instant(microseconds: 5_000_000)
        func notice(_ length: TimeSpan) -> TimeSpan { Budget(start: start, length: length).willExpire - start }
        #expect(notice(.seconds(30)) == .seconds(29))
        #expect(notice(.seconds(120)) == .seconds(119))
        #expect(notice(.milliseconds(2500)) == .milliseconds(1500))
        #expect(notice(.seconds(2)) == .seconds(1))
        #expect(notice(.milliseconds(1999)) == TimeSpan(microseconds: 999_500))
        #expect(notice(.seconds(1)) == .milliseconds(500))
        #expect(notice(TimeSpan(microseconds: 1)) == .zero)
        #expect(Budget(start: start, length: .seconds(30)).end == start + .seconds(30))
    }

    @Test("R3 a budget runs from the acceptance, of a process of its own from now, and a wait is no part of it")
    func starts() {
        let (accepted, now) = (Instant(microseconds: 5_000_000), Instant(microseconds: 6_000_000))
        func budget(_ start: BudgetStart) -> Budget {
            Budget(from: start, acceptedAt: accepted, now: now, length: .seconds(30))
        }
        #expect(budget(.acceptance) == Budget(start: accepted, length: .seconds(30)))
        #expect(budget(.spawn) == Budget(start: now, length: .seconds(30)))
        #expect(budget(.turn) == Budget(start: now, length: .seconds(600)))
        #expect([BudgetStart.acceptance, .spawn, .turn].map(\.waitMax) == [.zero, .zero, .seconds(600)])
        // The ledger is asked as its ring is due, which is part of the budget.
        #expect(budget(.ring(within: .seconds(7))) == Budget(start: now, length: .seconds(37)))
        #expect(BudgetStart.ring(within: .seconds(7)).waitMax == .seconds(7))
    }

    @Test("a budget of zero is a defect of ours")
    func noBudget() async {
        await #expect(processExitsWith: .failure) {
            _ = Budget(start: Instant(microseconds: 0), length: .zero)
        }
    }

    @Test("R2 a bad attachment is dropped with Apple's number")
    func attachments() {
        func error(_ type: String, _ bytes: Int64?) -> Int? {
            let attachment = NotificationAttachment(id: "a", path: "/a", type: type)
            return AttachmentRule.error(in: attachment, facts: AttachmentFacts(bytes: bytes))?.rawValue
        }
        #expect(error("public.png", nil) == 100)
        #expect(error("public.plain-text", 5) == 101)
        #expect(error("public.png", 0) == 105)
        for (type, most) in [("public.jpeg", 10 << 20), ("public.mp3", 5 << 20), ("public.mpeg-4", 50 << 20)]
            as [(String, Int64)]
        {
            #expect(error(type, most) == nil && error(type, most + 1) == 102 && error(type, 1) == nil)
        }
        #expect(AttachmentError.allCases.map(\.rawValue) == [100, 101, 102, 103, 104, 105])
        #expect(AttachmentError.allCases.allSatisfy { !$0.localizedDescription.isEmpty })
    }
}
