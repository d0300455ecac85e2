import BelfryConfinement
import Testing

/// Filters say what they were told, checked by an interpreter of their instructions.
@Suite struct SystemCallFilterTests {
    @Test func eachCallGetsItsVerdictAndTheRestAnother() {
        var filter = SystemCallFilter()
        filter.add([1, 2], .allow)
        filter.add([3, 1], .kill)
        let program = filter.program(otherwise: .fail(38))
        #expect(verdict(program, 1) == 0x7FFF_0000)
        #expect(verdict(program, 2) == SystemCallVerdict.allow.number)
        #expect(verdict(program, 3) == SystemCallVerdict.kill.number)
        #expect(verdict(program, 4) == 0x0005_0026)
    }

    @Test func argumentsAreComparedUnderTheirMasks() {
        var filter = SystemCallFilter()
        filter.add(
            7, .allow,
            inCases: [
                [.argument(0, is: 2), .argument(1, under: 0xF, is: 1)],
                [.argument(0, is: 10)],
            ],
            otherwise: .fail(97))
        filter.add([8], .allow)
        let program = filter.program(otherwise: .kill)
        #expect(verdict(program, 7, [2, 0x80001]) == SystemCallVerdict.allow.number)
        #expect(verdict(program, 7, [2, 2]) == SystemCallVerdict.fail(97).number)
        #expect(verdict(program, 7, [10, 2]) == SystemCallVerdict.allow.number)
        #expect(verdict(program, 7, [1, 1]) == SystemCallVerdict.fail(97).number)
        #expect(verdict(program, 8) == SystemCallVerdict.allow.number)
        #expect(verdict(program, 9) == SystemCallVerdict.kill.number)
    }

    @Test func otherConventionsKill() {
        var filter = SystemCallFilter()
        filter.add([1], .allow)
        let program = filter.program(otherwise: .allow)
        #expect(verdict(program, 1, architecture: 0x4000_0003) == SystemCallVerdict.kill.number)
        #expect(verdict(program, 0x4000_0001) == SystemCallVerdict.kill.number)
    }

    /// Runs a filter as the kernel would.
    private func verdict(
        _ program: [FilterInstruction], _ number: UInt32, _ arguments: [UInt32] = [],
        architecture: UInt32 = SystemCallFilter.architecture
    ) -> UInt32 {
        var accumulator: UInt32 = 0
        var index = 0
        while index < program.count {
            let instruction = program[index]
            index += 1
            let skips: Bool
            switch instruction.code {
            case FilterInstruction.loadCode:
                let word = Int(instruction.operand) / 4
                switch word {
                case 0: accumulator = number
                case 1: accumulator = architecture
                default: accumulator = word % 2 == 0 && (word - 4) / 2 < arguments.count ? arguments[(word - 4) / 2] : 0
                }
                continue
            case FilterInstruction.andCode:
                accumulator &= instruction.operand
                continue
            case FilterInstruction.returnCode: return instruction.operand
            case FilterInstruction.equalCode: skips = accumulator == instruction.operand
            case FilterInstruction.atLeastCode: skips = accumulator >= instruction.operand
            default:
                Issue.record("an instruction \(instruction.code)")
                return 0
            }
            index += Int(skips ? instruction.skipIfTrue : instruction.skipIfFalse)
        }
        Issue.record("the filter ends without a verdict")
        return 0
    }
}
