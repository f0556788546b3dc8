internal import CPosix

/// The limit of files, folders and connections that this process may have open at once (`RLIMIT_NOFILE`).
public enum DescriptorLimit {
    /// Raises the limit as far as the system allows without privileges.
    ///
    /// The initial limit is intended for programs that wait with `select(2)`. With it, a process that accepts connections cannot open files
    /// once about a thousand peers have connected.
    /// - Returns: The resulting limit.
    /// - Throws: `PosixError` if the system does not report the limit.
    @discardableResult
    public static func raise() throws(PosixError) -> Int {
        let result = caprig_raise_descriptor_limit()
        guard result >= 0 else {
            throw PosixError(code: Int32(clamping: -result), operation: "read", subject: "the limit of open files")
        }
        return result
    }

    /// Returns what ``raise()`` could raise it to (the hard limit).
    public static func most() throws(PosixError) -> Int {
        let result = caprig_hard_descriptor_limit()
        guard result >= 0 else {
            throw PosixError(code: Int32(clamping: -result), operation: "read", subject: "the limit of open files")
        }
        return result
    }
}

/// How `malloc` handles freed large blocks (`mallopt(3)`).
public enum LargeBlocks {
    /// The size in bytes from which a block is allocated separately from the system: glibc's initial value.
    public static let threshold = 128 * 1024

    /// Makes freed blocks of ``threshold`` bytes and more return to the system at once, for the lifetime of the process.
    ///
    /// By default glibc raises the threshold with each larger block that is freed, up to 32 MiB. Messages of megabytes are then placed
    /// between small blocks that stay, and their freed memory is kept. The cost is a page fault for every 4 KiB of a large block. Call it
    /// at the start of a program.
    public static func returnToSystem() {
        // Refused only if the threshold is out of range.
        _ = caprig_return_large_blocks(threshold)
    }
}
