public import BelfrySyscalls
import CBelfryLinux
import Glibc

/// What the kernel does with a system call.
public enum SystemCallVerdict: Hashable, Sendable {
    /// It is made.
    case allow
    /// It fails with this errno.
    case fail(Int32)
    /// The process dies by SIGSYS.
    case kill

    /// The value a filter answers (`SECCOMP_RET_…`).
    public var number: UInt32 {
        switch self {
        case .allow: 0x7FFF_0000
        case .fail(let errno): 0x0005_0000 | UInt32(truncatingIfNeeded: errno & 0xFFFF)
        case .kill: 0x8000_0000
        }
    }
}

/// A list of system calls with a verdict each, and one for all others.
///
/// A thread that has a filter cannot take it off, nor can what it starts.
public struct SystemCallFilter: Sendable {
    /// A condition on the lower 32 bits of one argument: those under `mask` are `value`.
    ///
    /// The upper half is not looked at, so conditions are for arguments that the kernel reads as 32 bits.
    public struct Condition: Hashable, Sendable {
        let argument: Int
        let mask: UInt32
        let value: UInt32

        /// A condition on the argument numbered from 0 to 5.
        public static func argument(_ argument: Int, under mask: UInt32 = .max, is value: UInt32) -> Condition {
            Condition(argument: argument, mask: mask, value: value)
        }
    }

    private var instructions: [FilterInstruction]

    /// A filter without rules, for the machine this was compiled for. Calls of any other convention kill.
    public init() {
        instructions = [
            .load(Self.architectureOffset),
            FilterInstruction(
                code: FilterInstruction.equalCode, skipIfTrue: 1, skipIfFalse: 0, operand: Self.architecture),
            .answer(.kill),
            .load(Self.numberOffset),
        ]
        // x32, the second convention of x86-64, has its bit here.
        instructions += [.unless(atLeast: 0x4000_0000, skip: 1), .answer(.kill)]
    }

    /// Gives `numbers` a verdict; a call that has one already keeps it.
    public mutating func add(_ numbers: [Int], _ verdict: SystemCallVerdict) {
        for number in numbers {
            instructions += [.unless(equal: UInt32(truncatingIfNeeded: number), skip: 1), .answer(verdict)]
        }
    }

    /// Gives one call `verdict` if all conditions of one of the `cases` hold, and `otherwise` if no case does.
    public mutating func add(
        _ number: Int, _ verdict: SystemCallVerdict, inCases cases: [[Condition]], otherwise: SystemCallVerdict
    ) {
        var body: [FilterInstruction] = []
        for conditions in cases {
            for (index, condition) in conditions.enumerated() {
                // Past what is left of this case: three instructions a condition, and the answer.
                let skip = UInt8(3 * (conditions.count - index - 1) + 1)
                body += [.load(Self.argumentsOffset + 8 * condition.argument), .and(condition.mask)]
                body += [.unless(equal: condition.value, skip: skip)]
            }
            body.append(.answer(verdict))
        }
        body.append(.answer(otherwise))
        precondition(body.count <= UInt8.max, "too many conditions for one jump")
        instructions.append(.unless(equal: UInt32(truncatingIfNeeded: number), skip: UInt8(body.count)))
        instructions += body
    }

    /// The whole filter, with `verdict` for every call that has none.
    public func program(otherwise verdict: SystemCallVerdict) -> [FilterInstruction] {
        instructions + [.answer(verdict)]
    }

    // struct seccomp_data; the lower half of an argument comes first on the machines below.
    private static let numberOffset = 0
    private static let architectureOffset = 4
    private static let argumentsOffset = 16

    #if arch(x86_64)
        /// `AUDIT_ARCH_X86_64`.
        public static let architecture: UInt32 = 0xC000_003E
    #elseif arch(arm64)
        /// `AUDIT_ARCH_AARCH64`.
        public static let architecture: UInt32 = 0xC000_00B7
    #elseif arch(riscv64)
        /// `AUDIT_ARCH_RISCV64`.
        public static let architecture: UInt32 = 0xC000_00F3
    #else
        #error("the filter has no list of system calls for this machine")
    #endif
}

extension SystemCallFilter {
    /// Puts the filter on every thread of this process for good, with `verdict` for every call that has none.
    ///
    /// Needs no-new-privileges. Fails with ENOSYS or EINVAL if the kernel was built without filters.
    public func install(otherwise verdict: SystemCallVerdict) throws(SystemError) {
        var program = self.program(otherwise: verdict).map { instruction in
            sock_filter(
                code: instruction.code, jt: instruction.skipIfTrue, jf: instruction.skipIfFalse, k: instruction.operand)
        }
        precondition(program.count <= 4_096, "the kernel takes 4096 instructions")
        let count = UInt16(program.count)
        let result = unsafe program.withUnsafeMutableBufferPointer {
            unsafe clinux_seccomp_install($0.baseAddress, count)
        }
        // With TSYNC a positive result is a thread that could not follow.
        guard result == 0 else {
            throw SystemError(errno: result > 0 ? ESRCH : errno, call: "seccomp", subject: "filter")
        }
    }
}

/// One instruction of a seccomp filter: classic BPF over the number and arguments of a system call (seccomp(2)).
public struct FilterInstruction: Hashable, Sendable {
    /// What it does.
    public let code: UInt16
    /// Instructions skipped if a comparison holds.
    public let skipIfTrue: UInt8
    /// Instructions skipped if it does not.
    public let skipIfFalse: UInt8
    /// Its constant.
    public let operand: UInt32

    /// `BPF_LD | BPF_W | BPF_ABS`: loads the 32 bits at an offset of `struct seccomp_data`.
    public static let loadCode: UInt16 = 0x20
    /// `BPF_ALU | BPF_AND | BPF_K`.
    public static let andCode: UInt16 = 0x54
    /// `BPF_JMP | BPF_JEQ | BPF_K`.
    public static let equalCode: UInt16 = 0x15
    /// `BPF_JMP | BPF_JGE | BPF_K`.
    public static let atLeastCode: UInt16 = 0x35
    /// `BPF_RET | BPF_K`.
    public static let returnCode: UInt16 = 0x06

    static func load(_ offset: Int) -> FilterInstruction {
        FilterInstruction(code: loadCode, skipIfTrue: 0, skipIfFalse: 0, operand: UInt32(offset))
    }

    static func and(_ mask: UInt32) -> FilterInstruction {
        FilterInstruction(code: andCode, skipIfTrue: 0, skipIfFalse: 0, operand: mask)
    }

    static func unless(equal value: UInt32, skip count: UInt8) -> FilterInstruction {
        FilterInstruction(code: equalCode, skipIfTrue: 0, skipIfFalse: count, operand: value)
    }

    static func unless(atLeast value: UInt32, skip count: UInt8) -> FilterInstruction {
        FilterInstruction(code: atLeastCode, skipIfTrue: 0, skipIfFalse: count, operand: value)
    }

    static func answer(_ verdict: SystemCallVerdict) -> FilterInstruction {
        FilterInstruction(code: returnCode, skipIfTrue: 0, skipIfFalse: 0, operand: verdict.number)
    }
}
