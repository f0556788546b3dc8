internal import CLibAV

/// Options or texts as the library takes them; freed with this object.
@safe final class AVTexts {
    var pointer: OpaquePointer?

    init(_ texts: [String: String] = [:]) {
        // In order of the keys, so that a file is the same each time it is written.
        for (key, value) in texts.sorted(by: { $0.key < $1.key }) { unsafe av_dict_set(&pointer, key, value, 0) }
    }

    deinit { unsafe av_dict_free(&pointer) }

    /// Hands the texts over to a struct of the library, which frees them.
    func release() -> OpaquePointer? {
        defer { unsafe pointer = nil }
        return unsafe pointer
    }

    /// The texts of a struct of the library.
    static func texts(of dictionary: OpaquePointer?) -> [String: String] {
        var texts: [String: String] = [:]
        var entry: UnsafeMutablePointer<AVDictionaryEntry>?
        while let next = unsafe av_dict_get(dictionary, "", entry, AV_DICT_IGNORE_SUFFIX) {
            texts[unsafe String(cString: next.pointee.key)] = unsafe String(cString: next.pointee.value)
            unsafe entry = unsafe next
        }
        return texts
    }
}
