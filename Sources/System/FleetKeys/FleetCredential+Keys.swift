public import BelfryTerms
public import Fleet
public import FleetLine

extension FleetCredential {
    /// Its key; throws if its token is not for that, was not signed by the key that it names, or is not valid at `now`.
    public func key(at now: WallTime) throws(FleetCredentialError) -> NATSKey {
        guard let key = NATSKey(seed: seed), key.kind == .user else { throw .badSeed }
        guard claims.key == key.name,
            NATSKey.isSignature(claims.signature, of: claims.signedBytes, by: claims.signer, .account)
        else { throw .otherKey }
        try check(at: now)
        return key
    }

    /// By what its lines are let in; throws as ``key(at:)`` does.
    public func forLine(at now: WallTime) throws(FleetCredentialError) -> LineCredential {
        LineCredential(jwt: token, key: try key(at: now).privateBytes, authority: Array(authorityText.utf8))
    }
}
