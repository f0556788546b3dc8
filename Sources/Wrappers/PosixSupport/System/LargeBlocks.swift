internal import CPosix

/// What `malloc` does with large blocks that are freed (`mallopt(3)`).
public enum LargeBlocks {
    /// Bytes from which on a block comes from the system by itself: what glibc begins with.
    public static let threshold = 128 * 1024

    /// Has freed blocks of ``threshold`` bytes and more return to the system at once, for the life of the process.
    ///
    /// By itself glibc raises the threshold with each larger block that is freed, up to 32 MiB. Messages of megabytes then lie
    /// between small blocks that stay, and what they leave behind is kept. The price is a page fault for every 4 KiB of such a
    /// block. Call it when a program begins.
    public static func returnToSystem() {
        // Refused only where the threshold is out of range.
        _ = caprig_return_large_blocks(threshold)
    }
}
