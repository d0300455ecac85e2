public import BelfryTerms
import CBelfryOpenSSL
import Glibc

/// A certificate (X.509), of ours or a stranger's.
@safe
public final class Certificate {
    let pointer: OpaquePointer

    /// Takes `pointer`, whose owner it becomes.
    init(owning pointer: OpaquePointer) { unsafe self.pointer = pointer }

    /// The first certificate in the PEM file `bytes`.
    public convenience init(pem bytes: [UInt8]) throws(TLSFailure) {
        let text = try MemoryText(bytes)
        guard let pointer = unsafe copenssl_read_certificate(text.bio) else {
            throw TLSFailure.last("there is no certificate in it")
        }
        unsafe self.init(owning: pointer)
    }

    deinit { unsafe X509_free(pointer) }

    /// SHA-256 of its DER.
    public var fingerprint: [UInt8] { unsafe Self.fingerprint(of: pointer) }

    static func fingerprint(of pointer: OpaquePointer) -> [UInt8] {
        var digest = [UInt8](repeating: 0, count: 32)
        var count: UInt32 = 0
        let isMade = unsafe X509_digest(pointer, EVP_sha256(), &digest, &count) == 1
        return isMade && count == 32 ? digest : []
    }

    /// The common name of its subject; nil if it has none.
    public var commonName: String? { subjectField(NID_commonName) }

    /// The UID of its subject; nil if it has none.
    public var userID: String? { subjectField(NID_userId) }

    private func subjectField(_ number: Int32) -> String? {
        let subject = unsafe X509_get_subject_name(pointer)
        let index = unsafe X509_NAME_get_index_by_NID(subject, number, -1)
        guard index >= 0, let entry = unsafe X509_NAME_get_entry(subject, index),
            let data = unsafe X509_NAME_ENTRY_get_data(entry)
        else { return nil }
        var start: UnsafeMutablePointer<UInt8>?
        let count = unsafe ASN1_STRING_to_UTF8(&start, data)
        guard count >= 0, let start = unsafe start else {
            ERR_clear_error()
            return nil
        }
        defer { unsafe copenssl_free(start) }
        return unsafe String(decoding: UnsafeBufferPointer(start: start, count: Int(count)), as: UTF8.self)
    }

    /// The value of the extension that has the object identifier `number`, as DER; nil if there is none.
    public func extensionValue(_ number: String) -> [UInt8]? {
        let object = unsafe OBJ_txt2obj(number, 1)
        defer { unsafe ASN1_OBJECT_free(object) }
        let index = unsafe X509_get_ext_by_OBJ(pointer, object, -1)
        guard index >= 0, let found = unsafe X509_get_ext(pointer, index),
            let value = unsafe X509_EXTENSION_get_data(found), let start = unsafe ASN1_STRING_get0_data(value)
        else { return nil }
        return unsafe Array(UnsafeBufferPointer(start: start, count: Int(ASN1_STRING_length(value))))
    }

    /// From when on it is valid; nil if it does not say so as it must.
    public var beginsAt: WallTime? { unsafe Self.time(X509_get0_notBefore(pointer)) }

    /// When it expires; nil if it does not say so as it must.
    public var expiresAt: WallTime? { unsafe Self.time(X509_get0_notAfter(pointer)) }

    static func time(_ stated: UnsafePointer<ASN1_TIME>?) -> WallTime? {
        var time = unsafe tm()
        guard unsafe ASN1_TIME_to_tm(stated, &time) == 1 else { return nil }
        return unsafe WallTime(microseconds: TimeSpan.seconds(Int64(timegm(&time))).microseconds)
    }

    /// The certificate as DER.
    public func der() throws(TLSFailure) -> [UInt8] {
        var start: UnsafeMutablePointer<UInt8>?
        let count = unsafe i2d_X509(pointer, &start)
        guard count > 0, let start = unsafe start else { throw TLSFailure.last("the certificate cannot be written") }
        defer { unsafe copenssl_free(start) }
        return unsafe Array(UnsafeBufferPointer(start: start, count: Int(count)))
    }

    /// The certificate as a PEM file.
    public func pem() throws(TLSFailure) -> [UInt8] {
        let text = try MemoryText()
        guard unsafe PEM_write_bio_X509(text.bio, pointer) == 1 else {
            throw TLSFailure.last("the certificate cannot be written")
        }
        return text.bytes
    }
}

/// The contents of a certificate that is made here.
public struct CertificateRequest: Hashable, Sendable {
    /// What it is for.
    public enum Use: Hashable, Sendable {
        /// Signs others.
        case authority
        /// A server with these names and addresses (`DNS:…`, `IP:…`).
        case server(names: [String])
        /// A server with these names and addresses that is a client of its like, too.
        case peer(names: [String])
        /// A client with these extensions besides, as object identifier and DER.
        case client(extensions: [ExtensionValue])
    }

    /// One extension.
    public struct ExtensionValue: Hashable, Sendable {
        /// Its object identifier.
        public let number: String
        /// Its value, DER.
        public let der: [UInt8]

        /// An extension.
        public init(number: String, der: [UInt8]) {
            self.number = number
            self.der = der
        }
    }

    /// The common name of its subject.
    public var commonName: String
    /// The UID of its subject.
    public var userID: String?
    /// The organisational unit of its subject.
    public var unit: String?
    /// What it is for.
    public var use: Use
    /// For how many days from now it is valid; if negative, it has expired already.
    public var days: Int
    /// In how many days it begins to be valid.
    public var beginsInDays = 0

    /// What a certificate says.
    public init(commonName: String, userID: String? = nil, unit: String? = nil, use: Use, days: Int) {
        self.commonName = commonName
        self.userID = userID
        self.unit = unit
        self.use = use
        self.days = days
    }
}

extension Certificate {
    /// How long before now it begins, since clocks differ.
    private static let headStartSeconds = 3_600

    /// A certificate that says what `request` does, for the holder of `key`, signed by `issuerKey` for `issuer`; by
    /// itself if there is none.
    public static func make(
        _ request: CertificateRequest, for key: SigningKey, issuer: Certificate? = nil, issuerKey: SigningKey
    ) throws(TLSFailure) -> Certificate {
        guard let pointer = unsafe X509_new() else { throw TLSFailure.last("no certificate can be made") }
        let certificate = unsafe Certificate(owning: pointer)
        try certificate.setFields(request, key: key)
        let issuerName = unsafe X509_get_subject_name((issuer ?? certificate).pointer)
        guard unsafe X509_set_issuer_name(pointer, issuerName) == 1 else { throw TLSFailure.last("no issuer") }
        try certificate.addExtensions(of: request.use, issuer: issuer ?? certificate)
        guard unsafe X509_sign(pointer, issuerKey.key, EVP_sha256()) > 0 else {
            throw TLSFailure.last("the certificate cannot be signed")
        }
        return certificate
    }

    private func setFields(_ request: CertificateRequest, key: SigningKey) throws(TLSFailure) {
        // A positive number, as it has to be.
        let serial = UInt64.random(in: 1...(.max >> 1))
        let begin =
            request.days < 0 ? 86_400 * (request.days - 1) : 86_400 * request.beginsInDays - Self.headStartSeconds
        let subject = unsafe X509_get_subject_name(pointer)
        let fields = [("UID", request.userID), ("CN", request.commonName), ("OU", request.unit)]
        var isSet =
            unsafe X509_set_version(pointer, 2) == 1
            && ASN1_INTEGER_set_uint64(X509_get_serialNumber(pointer), serial) == 1
            && X509_gmtime_adj(X509_getm_notBefore(pointer), begin) != nil
            && X509_gmtime_adj(X509_getm_notAfter(pointer), 86_400 * request.days) != nil
            && X509_set_pubkey(pointer, key.key) == 1
        for case (let name, let value?) in fields {
            let bytes = Array(value.utf8)
            isSet =
                unsafe isSet
                && X509_NAME_add_entry_by_txt(
                    subject, name, 0x1000 /* MBSTRING_UTF8 */, bytes, Int32(bytes.count), -1, 0) == 1
        }
        guard isSet else { throw TLSFailure.last("the certificate cannot be made") }
    }

    private func addExtensions(of use: CertificateRequest.Use, issuer: Certificate) throws(TLSFailure) {
        switch use {
        case .authority:
            try add(NID_basic_constraints, "critical,CA:TRUE", issuer)
            try add(NID_key_usage, "critical,keyCertSign,cRLSign", issuer)
        case .server(let names):
            try add(NID_basic_constraints, "critical,CA:FALSE", issuer)
            try add(NID_key_usage, "critical,digitalSignature", issuer)
            try add(NID_ext_key_usage, "serverAuth", issuer)
            try add(NID_subject_alt_name, names.joined(separator: ","), issuer)
        case .peer(let names):
            try add(NID_basic_constraints, "critical,CA:FALSE", issuer)
            try add(NID_key_usage, "critical,digitalSignature", issuer)
            try add(NID_ext_key_usage, "serverAuth,clientAuth", issuer)
            try add(NID_subject_alt_name, names.joined(separator: ","), issuer)
        case .client(let extensions):
            try add(NID_basic_constraints, "critical,CA:FALSE", issuer)
            try add(NID_key_usage, "critical,digitalSignature", issuer)
            try add(NID_ext_key_usage, "clientAuth", issuer)
            for value in extensions { try add(value) }
        }
        try add(NID_subject_key_identifier, "hash", issuer)
        try add(NID_authority_key_identifier, "keyid", issuer)
    }

    private func add(_ number: Int32, _ value: String, _ issuer: Certificate) throws(TLSFailure) {
        var context = unsafe X509V3_CTX()
        unsafe X509V3_set_ctx(&context, issuer.pointer, pointer, nil, nil, 0)
        unsafe copenssl_no_configuration(&context)
        guard let made = unsafe X509V3_EXT_conf_nid(nil, &context, number, value) else {
            throw TLSFailure.last("the certificate cannot say \(value)")
        }
        defer { unsafe X509_EXTENSION_free(made) }
        guard unsafe X509_add_ext(pointer, made, -1) == 1 else { throw TLSFailure.last("no room for \(value)") }
    }

    private func add(_ value: CertificateRequest.ExtensionValue) throws(TLSFailure) {
        let object = unsafe OBJ_txt2obj(value.number, 1)
        defer { unsafe ASN1_OBJECT_free(object) }
        let data = unsafe ASN1_OCTET_STRING_new()
        defer { unsafe ASN1_OCTET_STRING_free(data) }
        guard unsafe ASN1_OCTET_STRING_set(data, value.der, Int32(value.der.count)) == 1,
            let made = unsafe X509_EXTENSION_create_by_OBJ(nil, object, 0, data)
        else { throw TLSFailure.last("the certificate cannot say \(value.number)") }
        defer { unsafe X509_EXTENSION_free(made) }
        guard unsafe X509_add_ext(pointer, made, -1) == 1 else { throw TLSFailure.last("no room for \(value.number)") }
    }
}
