/// Binary property lists as other programs write them, in hexadecimal.
enum Samples {
    /// Every type there is, written by Python 3.11's plistlib.
    static let everyType = bytes(
        "62706c6973743030df10120102030405060708090a0b0c0d0e0f101112131a1b1c1d1e1f202122232425262728292a536172"
            + "725561736369695362696754626f6f6c54646174615464617465546469637455656d707479536661725466726163536d6178"
            + "536d696e536e6567526e6f536f6c64547265616c547465787453756964a214151001a216171002d1181951784055706c6169"
            + "6e140000000000000000ffffffffffffffff0944000102ff3341c858553a000000d05033422d63c37f000000233fb9999999"
            + "99999a137fffffffffffffff13800000000000000013fffffffffffffffb0833c22d63c37f00000023400800000000000065"
            + "006800e90020d83ddd1480070008002f00330039003d00420047004c00510057005b006000640068006c006f00730078007d"
            + "0081008400860089008b008e00900091009700a800a900ae00b700b800b900c200cb00d400dd00e600e700f000f901040000"
            + "000000000201000000000000002b00000000000000000000000000000106")

    /// Sixty arrays, each of which holds the next one twice: 2 to the 60th values once unfolded.
    static let billionLaughs = bytes(
        "62706c6973743030a20101a20202a20303a20404a20505a20606a20707a20808a20909a20a0aa20b0ba20c0ca20d0da20e0e"
            + "a20f0fa21010a21111a21212a21313a21414a21515a21616a21717a21818a21919a21a1aa21b1ba21c1ca21d1da21e1ea21f"
            + "1fa22020a22121a22222a22323a22424a22525a22626a22727a22828a22929a22a2aa22b2ba22c2ca22d2da22e2ea22f2fa2"
            + "3030a23131a23232a23333a23434a23535a23636a23737a23838a23939a23a3aa23b3ba23c3c5161d13e00516b0008000b00"
            + "0e001100140017001a001d0020002300260029002c002f003200350038003b003e004100440047004a004d00500053005600"
            + "59005c005f006200650068006b006e007100740077007a007d0080008300860089008c008f009200950098009b009e00a100"
            + "a400a700aa00ad00b000b300b600b900bc00be00c10000000000000201000000000000003f000000000000003d0000000000"
            + "0000c3")

    /// The bytes that a text of hexadecimal digits says.
    static func bytes(_ text: String) -> [UInt8] {
        let digits = text.utf8.map { $0 <= 0x39 ? $0 - 0x30 : $0 - 0x61 + 10 }
        return stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
    }

    /// A binary property list of these objects, the first being the outermost. References are one byte; whoever says
    /// that they have another size writes them so.
    static func binary(_ objects: [[UInt8]], offsetSize: Int = 3, referenceSize: UInt8 = 1) -> [UInt8] {
        var file = Array("bplist00".utf8)
        var table: [UInt8] = []
        for object in objects {
            table += bytes(of: file.count, size: offsetSize)
            file += object
        }
        let tableOffset = file.count
        file += table + [0, 0, 0, 0, 0, 0, UInt8(offsetSize), referenceSize]
        file += [0, 0, 0, 0, 0, 0, 0, UInt8(objects.count)]
        file += [0, 0, 0, 0, 0, 0, 0, 0]
        file += bytes(of: tableOffset, size: 8)
        return file
    }

    private static func bytes(of number: Int, size: Int) -> [UInt8] {
        (0..<size).reversed().map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
    }
}
