internal import LibAV

/// What this machine has for movies.
public enum MovieSupport {
    /// Returns the Debian package with libavformat, if this machine does not have it. Blocks on the disk.
    public static func missingPackage() -> String? { LibAVLibraries.missingPackage() }

    /// Returns why movies and clips can be neither written nor read on this machine, and what mends it; nil if they can.
    /// Blocks on the disk.
    public static func obstacle() -> String? {
        missingPackage().map {
            "not supported: movies are written by FFmpeg's libavformat, which this machine does not have; install it (apt install \($0)) and restart the agent"
        }
    }
}
