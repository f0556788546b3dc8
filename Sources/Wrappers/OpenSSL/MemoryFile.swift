import COpenSSL

/// A BIO in memory, from which libcrypto reads PEM and to which it writes it (`BIO_s_mem(3)`), freed with its owner.
@safe
struct MemoryFile: ~Copyable {
    let handle: OpaquePointer

    init() throws(OpenSSLError) {
        unsafe handle = try created(BIO_new(BIO_s_mem()), "allocate memory")
    }

    deinit { unsafe BIO_free(handle) }

    /// Appends bytes to be read (`BIO_write_ex(3)`).
    func write(_ bytes: [UInt8]) throws(OpenSSLError) {
        guard !bytes.isEmpty else { return }
        var written = 0
        guard unsafe BIO_write_ex(handle, bytes, bytes.count, &written) == 1, written == bytes.count else {
            throw OpenSSLError("allocate memory")
        }
    }

    /// What was written and not yet read.
    var bytes: [UInt8] {
        var start: UnsafePointer<UInt8>?
        let count = unsafe caprig_memory(handle, &start)
        return unsafe Array(UnsafeBufferPointer(start: start, count: count))
    }
}
