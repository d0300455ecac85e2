import CallDirectory
import Testing

@Suite struct ListChangesTests {
    @Test("changes are sorted, and of a number that is named twice the last word counts") func sorted() {
        var changes = ListChanges()
        #expect(changes.isEmpty)
        changes.add(9, isBlocked: true, label: "nine")
        changes.add(3, label: "three")
        changes.add(9, label: "new")
        changes.add(5, isBlocked: true)
        changes.add(5, isBlocked: false)
        changes.add(7)
        let sorted = changes.sorted()
        #expect(sorted.blocked == [9] && sorted.unblocked == [5] && sorted.labelled == [3, 9])
        #expect(sorted.labels.map { String(decoding: $0, as: UTF8.self) } == ["three", "new"])
        #expect(sorted.numbersCount == 4 && !changes.isEmpty)
    }
}

@Suite struct NumberFaultTests {
    private func fault(_ text: String, _ plan: DialingPlan) -> NumberFault? {
        do throws(NumberFault) {
            let number = try plan.writtenNumber(text)
            Issue.record("\(text) is \(number)")
            return nil
        } catch {
            return error
        }
    }

    @Test("a number is refused with its reason and what to do") func reasons() throws {
        let abroad = DialingPlan()
        let german = DialingPlan(countryCode: "49", trunkPrefix: "0", internationalPrefix: "00")
        #expect(try abroad.writtenNumber("+49 (0)30 123456") == 4_930_123_456)
        #expect(try german.writtenNumber("030 123456") == 4_930_123_456)
        #expect(fault("030 123456", abroad)?.description == "\"030 123456\" has no country code")
        #expect(fault("0049 30", abroad)?.remedy.contains("CountryCode=") == true)
        #expect(fault("30 123456", german)?.description.contains("begins with no 0") == true)
        for text in ["", "Ada", "+", "+0", "+12345678901234567890", "anna@example.org", "+49\u{0}30", "-5"] {
            for plan in [abroad, german] where text != "-5" {
                #expect(fault(text, plan)?.description.contains("is no telephone number") == true, "\(text)")
            }
        }
    }

    @Test("a label that would be shown as something else is refused") func labels() {
        for label in ["Ada", "a,b;\"c\"", "می‌خواهم", String(repeating: "x", count: 1_024)] {
            #expect(ListLabel.fault(in: label) == nil, "\(label)")
        }
        #expect(ListLabel.fault(in: "") == "the label is empty")
        #expect(ListLabel.fault(in: "a\r\nb") == "the label has a line break")
        #expect(ListLabel.fault(in: "a\u{202E}b") == "the label has a character that nobody sees")
        #expect(ListLabel.fault(in: "a\0b") == "the label has a character that nobody sees")
        #expect(ListLabel.fault(in: String(repeating: "x", count: 1_025))?.contains("1024 bytes") == true)
    }
}
