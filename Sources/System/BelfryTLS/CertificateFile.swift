import CBelfryOpenSSL

/// Why there is no certificate to be had of a file.
public enum CertificateFileFailure: Error, Hashable, Sendable {
    /// It has a passphrase, which is not the one that was given; or none was.
    case locked
    /// There is no certificate in it that can be read.
    case unreadable(TLSFailure)
}

extension Certificate {
    /// The certificate in a file as Apple's portal and key chains hand it out: the first of a PEM file, the one of a
    /// DER file (`.cer`), or that of the key of a PKCS #12 file (`.p12`), which `passphrase` may open.
    public convenience init(file bytes: [UInt8], passphrase: String = "") throws(CertificateFileFailure) {
        // DER begins with a sequence of a length that no letter stands for.
        guard bytes.count > 1, bytes[0] == 0x30, bytes[1] >= 0x80 else {
            do throws(TLSFailure) { try self.init(pem: bytes) } catch { throw .unreadable(error) }
            return
        }
        defer { ERR_clear_error() }
        let pointer = unsafe bytes.withUnsafeBufferPointer { bytes in
            var start = bytes.baseAddress
            return unsafe d2i_X509(nil, &start, bytes.count)
        }
        if let pointer = unsafe pointer {
            unsafe self.init(owning: pointer)
            return
        }
        var isLocked: Int32 = 0
        guard let found = unsafe copenssl_read_pkcs12(bytes, bytes.count, passphrase, &isLocked) else {
            if isLocked != 0 { throw .locked }
            throw .unreadable(TLSFailure("there is no certificate in it, neither in PEM nor in DER nor in PKCS #12"))
        }
        unsafe self.init(owning: found)
    }
}
