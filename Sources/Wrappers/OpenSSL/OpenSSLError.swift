import COpenSSL

/// Why libcrypto could not do something.
public struct OpenSSLError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What was tried, such as `read a private key`.
    public let operation: String
    /// OpenSSL's reason, or that of the check that failed.
    public let reason: String

    init(_ operation: String, reason: String) {
        (self.operation, self.reason) = (operation, reason)
    }

    /// Takes the reason of this thread's last failure, and forgets it: `ERR_peek_last_error(3)`, `ERR_clear_error(3)`.
    init(_ operation: String) {
        let code = ERR_peek_last_error()
        ERR_clear_error()
        let reason = unsafe ERR_reason_error_string(code).map { unsafe String(cString: $0) }
        self.init(operation, reason: reason ?? "OpenSSL gives no reason")
    }

    public var description: String { "OpenSSL cannot \(operation): \(reason)" }
}

/// Throws the reason of the last failure unless `status` is 1, with which most functions of libcrypto report success.
func check(_ status: Int32, _ operation: String) throws(OpenSSLError) {
    guard status == 1 else { throw OpenSSLError(operation) }
}

/// Returns an object that libcrypto has created.
/// - Throws: The reason of the last failure if there is none.
@unsafe
func created(_ object: OpaquePointer?, _ operation: String) throws(OpenSSLError) -> OpaquePointer {
    guard let object = unsafe object else { throw OpenSSLError(operation) }
    return unsafe object
}
