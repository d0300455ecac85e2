// One import is enough: a bell's parameters and events are of these modules.
@_exported public import BelfryClient
@_exported public import BelfryJSON
@_exported public import BelfryProtocol
@_exported public import BelfryTerms
