public import BelfryTerms
public import Fleet
public import FleetLine

extension FleetCredential {
    /// Its key; throws as ``key()`` does, or if its token is not valid at `now`.
    public func key(at now: WallTime) throws(FleetCredentialError) -> NATSKey {
        let key = try key()
        try check(at: now)
        return key
    }

    /// Its key; throws if its token is not for that, or was not signed by the key that it names.
    func key() throws(FleetCredentialError) -> NATSKey {
        guard let key = NATSKey(seed: seed), key.kind == .user else { throw .badSeed }
        guard claims.key == key.name,
            NATSKey.isSignature(claims.signature, of: claims.signedBytes, by: claims.signer, .account)
        else { throw .otherKey }
        return key
    }

    /// By what its lines are let in; throws as ``key()`` does. Whether it is valid now, the brokers say.
    public func forLine() throws(FleetCredentialError) -> LineCredential {
        LineCredential(jwt: token, key: try key().privateBytes, authority: Array(authorityText.utf8))
    }
}
