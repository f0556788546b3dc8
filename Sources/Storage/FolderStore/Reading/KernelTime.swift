internal import Glibc

extension FolderReader {
    /// The clock by which the kernel stamps folders and files, nanoseconds since 1970.
    static var kernelRealtime: Int64 {
        var time = timespec()
        _ = unsafe clock_gettime(CLOCK_REALTIME, &time)
        return Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec)
    }
}
