// The older name of MobileCoreServices' types.
@_exported public import MobileCoreServices
