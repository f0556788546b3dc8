internal import CLibAV

/// FFmpeg's libraries, which are loaded when they are needed.
public enum LibAVLibraries {
    /// Returns the Debian package with the library that reads and writes movies, if this machine does not have it. The
    /// library is not loaded where it is in a folder in which the loader always looks. Blocks on the disk.
    public static func missingPackage() -> String? {
        unsafe caprig_av_missing_package().map { unsafe String(cString: $0) }
    }
}
