internal import CPosix

/// How many files, folders and connections this process may have open at once (`RLIMIT_NOFILE`).
public enum DescriptorLimit {
    /// Raises the limit as far as the system lets it be raised without privileges.
    ///
    /// The limit that processes begin with is meant for programs that wait with `select(2)`. A process that accepts
    /// connections and keeps to it can open no file any more once some thousand peers have connected.
    /// - Returns: The limit that holds from here on.
    /// - Throws: `PosixError` where the system does not tell it.
    @discardableResult
    public static func raise() throws(PosixError) -> Int {
        let result = caprig_raise_descriptor_limit()
        guard result >= 0 else {
            throw PosixError(code: Int32(clamping: -result), operation: "read", subject: "the limit of open files")
        }
        return result
    }
}
