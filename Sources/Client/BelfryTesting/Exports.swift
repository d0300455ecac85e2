// One import is enough: what a bell takes and tells is made of these.
@_exported public import BelfryClient
@_exported public import BelfryJSON
@_exported public import BelfryProtocol
@_exported public import BelfryTerms
