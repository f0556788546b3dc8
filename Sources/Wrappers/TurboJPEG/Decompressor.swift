import CTurboJPEG

/// One libjpeg-turbo decompressor, freed with its owner.
@safe
struct Decompressor: ~Copyable {
    let handle: tjhandle

    init() throws(TurboJPEGError) {
        guard let handle = unsafe tjInitDecompress() else {
            throw TurboJPEGError(.outOfResources, operation: "decoder start", cause: unsafe libraryMessage(nil))
        }
        unsafe self.handle = handle
    }

    deinit { unsafe tjDestroy(handle) }

    /// The library answers -1 for both; only this tells a damaged image from none.
    var lastFailureIsWarning: Bool { unsafe tjGetErrorCode(handle) == Int32(TJERR_WARNING.rawValue) }

    /// The library's own words for the last failure.
    var message: String { unsafe libraryMessage(handle) }
}
