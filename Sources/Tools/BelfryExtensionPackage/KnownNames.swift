/// Which of Belfry's modules has a name: each top-level declaration of the products that an `import` has to bring. What
/// the file `BelfryGlue.swift` brings is not among them.
enum KnownNames {
    /// The module that has `name`; nil if none has.
    static func module(of name: String) -> String? { modules[name] }

    /// The names of `module`.
    static func names(of module: String) -> Set<String> { Set(words(texts[module] ?? "")) }

    /// The names by which a file is known to use `module` without an import of it: of Combine none that apps have for
    /// types of their own.
    static func names(bringing module: String) -> Set<String> {
        guard module == "Combine" else { return names(of: module) }
        return [
            "AnyCancellable", "AnyPublisher", "CurrentValueSubject", "ObservableObject", "ObservableObjectPublisher",
            "PassthroughSubject", "Published",
        ]
    }

    /// Whether names of `module` may as well be an app's own, since they are plain words.
    static func arePlain(_ module: String) -> Bool {
        ["BelfryNumberStore", "Combine", "CryptoKit", "os"].contains(module)
    }

    private static let modules: [String: String] = Dictionary(
        texts.sorted { $0.key < $1.key }.flatMap { module, text in words(text).map { ($0, module) } },
        uniquingKeysWith: { first, _ in first })

    private static func words(_ text: String) -> [String] { text.split { $0 == " " || $0 == "\n" }.map(String.init) }

    private static let texts: [String: String] = [
        "AVFAudio": """
        AVAsset AVAssetImageGenerator AVAudioApplication AVAudioBuffer AVAudioChannelCount AVAudioCommonFormat
        AVAudioEngine AVAudioFile AVAudioFormat AVAudioFrameCount AVAudioFramePosition AVAudioIONode
        AVAudioInputNode AVAudioMixerNode AVAudioNode AVAudioNodeBus AVAudioNodeTapBlock AVAudioOutputNode
        AVAudioPCMBuffer AVAudioPlayer AVAudioPlayerDelegate AVAudioSession AVAudioSessionCategoryAmbient
        AVAudioSessionCategoryAudioProcessing AVAudioSessionCategoryMultiRoute AVAudioSessionCategoryOptions
        AVAudioSessionCategoryPlayAndRecord AVAudioSessionCategoryPlayback AVAudioSessionCategoryRecord
        AVAudioSessionCategorySoloAmbient AVAudioSessionDataSourceDescription
        AVAudioSessionInterruptionOptionKey AVAudioSessionInterruptionOptions
        AVAudioSessionInterruptionReasonKey AVAudioSessionInterruptionType AVAudioSessionInterruptionTypeKey
        AVAudioSessionInterruptionWasSuspendedKey AVAudioSessionModeDefault AVAudioSessionModeGameChat
        AVAudioSessionModeMeasurement AVAudioSessionModeMoviePlayback AVAudioSessionModeSpokenAudio
        AVAudioSessionModeVideoChat AVAudioSessionModeVideoRecording AVAudioSessionModeVoiceChat
        AVAudioSessionModeVoicePrompt AVAudioSessionPortAirPlay AVAudioSessionPortBluetoothA2DP
        AVAudioSessionPortBluetoothHFP AVAudioSessionPortBluetoothLE AVAudioSessionPortBuiltInMic
        AVAudioSessionPortBuiltInReceiver AVAudioSessionPortBuiltInSpeaker AVAudioSessionPortCarAudio
        AVAudioSessionPortDescription AVAudioSessionPortHDMI AVAudioSessionPortHeadphones
        AVAudioSessionPortHeadsetMic AVAudioSessionPortLineIn AVAudioSessionPortLineOut
        AVAudioSessionPortOverride AVAudioSessionPortUSBAudio AVAudioSessionRecordPermission
        AVAudioSessionRouteChangePreviousRouteKey AVAudioSessionRouteChangeReason
        AVAudioSessionRouteChangeReasonKey AVAudioSessionRouteDescription AVAudioSessionSetActiveOptions
        AVAudioSessionSilenceSecondaryAudioHintTypeKey AVAudioTime AVAuthorizationStatus AVCaptureDevice AVError
        AVFormatIDKey AVLinearPCMBitDepthKey AVLinearPCMIsBigEndianKey AVLinearPCMIsFloatKey
        AVLinearPCMIsNonInterleaved AVMakeRect AVMediaType AVNumberOfChannelsKey AVSampleRateKey AVURLAsset
        CMTime CMTimeGetSeconds CMTimeMake CMTimeMakeWithSeconds kAudioFormatALaw kAudioFormatAppleIMA4
        kAudioFormatLinearPCM kAudioFormatULaw
        """,
        "AudioToolbox": """
        AudioServicesAddSystemSoundCompletion AudioServicesCreateSystemSoundID AudioServicesDisposeSystemSoundID
        AudioServicesGetProperty AudioServicesGetPropertyInfo AudioServicesPlayAlertSound
        AudioServicesPlayAlertSoundWithCompletion AudioServicesPlaySystemSound
        AudioServicesPlaySystemSoundWithCompletion AudioServicesPropertyID
        AudioServicesRemoveSystemSoundCompletion AudioServicesSetProperty AudioServicesSystemSoundCompletionProc
        DarwinBoolean SystemSoundID kAudioServicesBadPropertySizeError kAudioServicesBadSpecifierSizeError
        kAudioServicesNoError kAudioServicesPropertyCompletePlaybackIfAppDies kAudioServicesPropertyIsUISound
        kAudioServicesSystemSoundClientTimedOutError kAudioServicesSystemSoundExceededMaximumDurationError
        kAudioServicesSystemSoundUnspecifiedError kAudioServicesUnsupportedPropertyError
        kSystemSoundID_FlashScreen kSystemSoundID_UserPreferredAlert kSystemSoundID_Vibrate
        """,
        "BelfryNumberStore": """
        IdentifiedNumber NumberStore NumberStoreError NumberStoreProvider
        """,
        "CallKit": """
        CXAction CXAnswerCallAction CXCall CXCallAction CXCallController CXCallDirectoryExtensionContext
        CXCallDirectoryExtensionContextDelegate CXCallDirectoryManager CXCallDirectoryPhoneNumber
        CXCallDirectoryPhoneNumberMax CXCallDirectoryProvider CXCallEndedReason CXCallObserver
        CXCallObserverDelegate CXCallUpdate CXEndCallAction CXError CXErrorCodeCallDirectoryManagerError
        CXErrorCodeIncomingCallError CXErrorCodeNotificationServiceExtensionError CXErrorCodeRequestTransactionError
        CXErrorDomain CXErrorDomainCallDirectoryManager CXErrorDomainIncomingCall
        CXErrorDomainNotificationServiceExtension CXErrorDomainRequestTransaction CXHandle CXPlayDTMFCallAction
        CXProvider CXProviderConfiguration CXProviderDelegate CXSetGroupCallAction CXSetHeldCallAction
        CXSetMutedCallAction CXSetTranslatingCallAction CXStartCallAction CXTransaction
        """,
        "Combine": """
        AnyCancellable AnyPublisher AnySubscriber Cancellable CurrentValueSubject Empty Fail Future Just
        ObservableObject ObservableObjectPublisher PassthroughSubject Published Publisher Publishers
        ScheduledTime Scheduler SchedulerTimeIntervalConvertible Subject Subscriber Subscribers Subscription
        """,
        "CommonCrypto": """
        CCAlgorithm CCCrypt CCCryptorStatus CCHmac CCHmacAlgorithm CCKeyDerivationPBKDF CCOperation CCOptions
        CCPBKDFAlgorithm CCPseudoRandomAlgorithm CCRandomGenerateBytes CC_LONG CC_MD5 CC_MD5_DIGEST_LENGTH CC_SHA1
        CC_SHA1_DIGEST_LENGTH CC_SHA256 CC_SHA256_DIGEST_LENGTH CC_SHA384 CC_SHA384_DIGEST_LENGTH CC_SHA512
        CC_SHA512_DIGEST_LENGTH kCCAlgorithmAES kCCAlgorithmAES128 kCCAlignmentError kCCBlockSizeAES128
        kCCBufferTooSmall kCCDecodeError kCCDecrypt kCCEncrypt kCCHmacAlgMD5 kCCHmacAlgSHA1 kCCHmacAlgSHA256
        kCCHmacAlgSHA384 kCCHmacAlgSHA512 kCCKeySizeAES128 kCCKeySizeAES192 kCCKeySizeAES256 kCCOptionECBMode
        kCCOptionPKCS7Padding kCCPBKDF2 kCCPRFHmacAlgSHA1 kCCPRFHmacAlgSHA256 kCCPRFHmacAlgSHA384
        kCCPRFHmacAlgSHA512 kCCParamError kCCSuccess kCCUnimplemented
        """,
        "Compression": """
        COMPRESSION_BROTLI COMPRESSION_LZ4 COMPRESSION_LZ4_RAW COMPRESSION_LZFSE COMPRESSION_LZMA COMPRESSION_ZLIB
        compression_algorithm compression_decode_buffer compression_decode_scratch_buffer_size
        compression_encode_buffer compression_encode_scratch_buffer_size
        """,
        "Contacts": """
        CNAuthorizationStatus CNContact CNContactBirthdayKey CNContactDepartmentNameKey CNContactEmailAddressesKey
        CNContactFamilyNameKey CNContactFetchRequest CNContactFormatter CNContactFormatterStyle
        CNContactGivenNameKey CNContactIdentifierKey CNContactImageDataAvailableKey CNContactImageDataKey
        CNContactJobTitleKey CNContactMiddleNameKey CNContactNamePrefixKey CNContactNameSuffixKey
        CNContactNicknameKey CNContactNoteKey CNContactOrganizationNameKey CNContactPhoneNumbersKey
        CNContactSortOrder CNContactStore CNContactThumbnailImageDataKey CNContactType CNContactTypeKey
        CNContactVCardSerialization CNEntityType CNError CNErrorDomain CNKeyDescriptor CNLabelHome CNLabelOther
        CNLabelPhoneNumberHomeFax CNLabelPhoneNumberMain CNLabelPhoneNumberMobile CNLabelPhoneNumberPager
        CNLabelPhoneNumberWorkFax CNLabelWork CNLabeledValue CNPhoneNumber
        """,
        "CoreLocation": """
        CLAccuracyAuthorization CLAuthorizationStatus CLCircularRegion CLError CLLocation CLLocationAccuracy
        CLLocationCoordinate2D CLLocationDegrees CLLocationDirection CLLocationDistance CLLocationManager
        CLLocationManagerDelegate CLLocationSpeed CLRegion kCLDistanceFilterNone kCLErrorDomain
        kCLLocationAccuracyBest kCLLocationAccuracyBestForNavigation kCLLocationAccuracyHundredMeters
        kCLLocationAccuracyKilometer kCLLocationAccuracyNearestTenMeters kCLLocationAccuracyReduced
        kCLLocationAccuracyThreeKilometers
        """,
        "CoreServices": """
        UTTypeConformsTo UTTypeCopyPreferredTagWithClass UTTypeCreatePreferredIdentifierForTag UTTypeEqual
        kUTTagClassFilenameExtension kUTTagClassMIMEType kUTTypeAVIMovie kUTTypeAudio
        kUTTypeAudioInterchangeFileFormat kUTTypeAudiovisualContent kUTTypeBMP kUTTypeContent kUTTypeData
        kUTTypeFileURL kUTTypeGIF kUTTypeHTML kUTTypeImage kUTTypeItem kUTTypeJPEG kUTTypeJSON kUTTypeMP3
        kUTTypeMPEG kUTTypeMPEG2Video kUTTypeMPEG4 kUTTypeMPEG4Audio kUTTypeMovie kUTTypePDF kUTTypePNG
        kUTTypePlainText kUTTypeQuickTimeMovie kUTTypeTIFF kUTTypeText kUTTypeURL kUTTypeUTF8PlainText
        kUTTypeVideo kUTTypeWaveformAudio kUTTypeXML
        """,
        "CryptoKit": """
        AES ChaChaPoly CryptoKitError Curve25519 Digest HKDF HMAC HashFunction HashedAuthenticationCode Insecure
        MessageAuthenticationCode NISTAgreementPrivateKey NISTAgreementPublicKey NISTCurve P256 P384 P521 SHA256
        SHA256Digest SHA384 SHA384Digest SHA512 SHA512Digest SharedSecret SymmetricKey SymmetricKeySize
        """,
        "ImageIO": """
        CGAffineTransform CGBlendMode CGColor CGColorSpace CGColorSpaceCreateDeviceGray
        CGColorSpaceCreateDeviceRGB CGContext CGGradient CGGradientDrawingOptions CGImage CGImageAlphaInfo
        CGImageDestination CGImageDestinationAddImage CGImageDestinationAddImageFromSource
        CGImageDestinationCreateWithData CGImageDestinationCreateWithURL CGImageDestinationFinalize
        CGImageDestinationSetProperties CGImageSource CGImageSourceCopyPropertiesAtIndex
        CGImageSourceCreateImageAtIndex CGImageSourceCreateThumbnailAtIndex CGImageSourceCreateWithData
        CGImageSourceCreateWithURL CGImageSourceGetCount CGImageSourceGetType CGMutablePath CGPath CGPathFillRule
        kCGImageDestinationImageMaxPixelSize kCGImageDestinationLossyCompressionQuality
        kCGImagePropertyPixelHeight kCGImagePropertyPixelWidth kCGImageSourceCreateThumbnailFromImageAlways
        kCGImageSourceCreateThumbnailFromImageIfAbsent kCGImageSourceCreateThumbnailWithTransform
        kCGImageSourceShouldCache kCGImageSourceShouldCacheImmediately kCGImageSourceThumbnailMaxPixelSize
        """,
        "Intents": """
        INCallAudioRoute INCallCapability INCallDestinationType INCallRecord INCallRecordFilter
        INCallRecordTypeOptions INFile INImage INIntent INIntentDonationMetadata INIntentHandlingStatus
        INIntentResponse INIntentSetImageKeyPath INInteraction INInteractionDirection INOutgoingMessageType INPerson
        INPersonHandle INPersonHandleLabel INPersonHandleType INPersonSuggestionType INSendMessageAttachment
        INSendMessageIntent INSendMessageIntentDonationMetadata INSpeakableString INStartAudioCallIntent
        INStartAudioCallIntentIdentifier INStartCallIntent INStartCallIntentIdentifier INStartVideoCallIntent
        INStartVideoCallIntentIdentifier UNNotificationAttributedMessageContext
        """,
        "PushKit": """
        PKPushCredentials PKPushPayload PKPushRegistry PKPushRegistryDelegate PKPushType PKVoIPPushMetadata
        """,
        "Security": """
        SecCopyErrorMessageString SecItemAdd SecItemCopyMatching SecItemDelete SecItemUpdate SecRandomCopyBytes
        SecRandomRef errSecAllocate errSecAuthFailed errSecDecode errSecDuplicateItem errSecIO
        errSecInteractionNotAllowed errSecItemNotFound errSecMissingEntitlement errSecNotAvailable errSecParam
        errSecSuccess errSecUnimplemented errSecUserCanceled kSecAttrAccessGroup kSecAttrAccessible
        kSecAttrAccessibleAfterFirstUnlock kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly
        kSecAttrAccessibleAlways kSecAttrAccessibleAlwaysThisDeviceOnly
        kSecAttrAccessibleWhenPasscodeSetThisDeviceOnly kSecAttrAccessibleWhenUnlocked
        kSecAttrAccessibleWhenUnlockedThisDeviceOnly kSecAttrAccount kSecAttrAuthenticationType kSecAttrComment
        kSecAttrCreationDate kSecAttrCreator kSecAttrDescription kSecAttrGeneric kSecAttrIsInvisible
        kSecAttrIsNegative kSecAttrLabel kSecAttrModificationDate kSecAttrPath kSecAttrPort kSecAttrProtocol
        kSecAttrSecurityDomain kSecAttrServer kSecAttrService kSecAttrSynchronizable kSecAttrSynchronizableAny
        kSecAttrType kSecClass kSecClassCertificate kSecClassGenericPassword kSecClassIdentity
        kSecClassInternetPassword kSecClassKey kSecMatchLimit kSecMatchLimitAll kSecMatchLimitOne
        kSecRandomDefault kSecReturnAttributes kSecReturnData kSecReturnPersistentRef kSecReturnRef
        kSecUseAuthenticationUI kSecUseAuthenticationUIFail kSecUseAuthenticationUISkip
        kSecUseDataProtectionKeychain kSecUseOperationPrompt kSecValueData
        """,
        "UIKit": """
        _ImageLiteralType CACurrentMediaTime NSMutableParagraphStyle NSParagraphStyle NSTextAlignment
        UIAlertAction UIAlertController UIApplication UIApplicationBackgroundFetchIntervalMinimum
        UIApplicationDelegate UIApplicationLaunchOptionsKey UIApplicationMain
        UIApplicationOpenSettingsURLString UIApplicationOpenURLOptionsKey UIApplicationShortcutItem
        UIApplicationState UIBackgroundFetchResult UIBackgroundRefreshStatus UIBackgroundTaskIdentifier
        UIBackgroundTaskInvalid UIBezierPath UIColor UIDevice UIDeviceOrientation UIFont
        UIGraphicsBeginImageContext UIGraphicsBeginImageContextWithOptions UIGraphicsEndImageContext
        UIGraphicsGetCurrentContext UIGraphicsGetImageFromCurrentImageContext UIGraphicsImageRenderer
        UIGraphicsImageRendererContext UIGraphicsImageRendererFormat UIImage UIImageJPEGRepresentation
        UIImagePNGRepresentation UIInterfaceOrientation UIInterfaceOrientationMask UIOpenURLContext
        UIPasteboard UIRectClip UIRectCorner UIRectFill UIResponder UIScene UISceneConfiguration
        UISceneDelegate UISceneSession UIScreen UITraitCollection UIUserActivityRestoring UIUserInterfaceIdiom
        UIView UIViewController UIWindow UIWindowScene UIWindowSceneDelegate
        """,
        "UniformTypeIdentifiers": """
        UTTagClass UTType
        """,
        "WidgetKit": """
        WidgetCenter
        """,
        "os": """
        Logger OSAllocatedUnfairLock OSLog OSLogFloatFormatting OSLogIntegerFormatting OSLogInterpolation
        OSLogMessage OSLogPrivacy OSLogStringAlignment OSLogType os_log os_proc_available_memory
        """,
    ]
}
