/// One instruction of a seccomp filter: classic BPF over the number and arguments of a system call (seccomp(2)).
public struct FilterInstruction: Hashable, Sendable {
    /// What it does.
    public let code: UInt16
    /// Instructions skipped where a comparison holds.
    public let skipIfTrue: UInt8
    /// Instructions skipped where it does not.
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
