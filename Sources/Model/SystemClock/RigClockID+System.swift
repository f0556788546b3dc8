public import CaptureModel
internal import Glibc
public import PosixSupport

extension RigClockID {
    /// Returns the id of this process's `CLOCK_MONOTONIC`: the boot id, and the process's time namespace with its
    /// offset. Two processes with the same id read the same clock.
    /// - Throws: If `/proc` is not mounted.
    public static func ofThisProcess() throws(PosixError) -> RigClockID {
        let random = try Folder(opening: "/proc/sys/kernel/random")
        let boot = try line(random, "boot_id")
        // Kernels before 5.6 have no time namespaces, and so do not have this link.
        let namespace = linkTarget("/proc/self/ns/time").flatMap(inode) ?? "0"
        let offset = monotonicOffset()
        return RigClockID(rawValue: offset == "0.0" ? "\(boot).\(namespace)" : "\(boot).\(namespace).\(offset)")
    }

    /// Reads the first line of a file. Files in `/proc` report no length, so they are read up to a bound.
    private static func line(_ folder: Folder, _ name: String) throws(PosixError) -> String {
        let bytes = try folder.open(name, for: .reading).readStream(limit: 4096)
        return String(decoding: bytes.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
    }

    /// Returns the seconds and nanoseconds by which the namespace shifts `CLOCK_MONOTONIC`. A namespace's inode number
    /// is reused after the namespace ends, so the number alone does not identify a clock.
    private static func monotonicOffset() -> String {
        guard let folder = try? Folder(opening: "/proc/self"),
            let bytes = try? folder.open("timens_offsets", for: .reading).readStream(limit: 4096)
        else { return "0.0" }
        let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
        let fields = lines.map { $0.split(separator: " ") }.first { $0.first == "monotonic" } ?? []
        return fields.count == 3 ? "\(fields[1]).\(fields[2])" : "0.0"
    }

    private static func linkTarget(_ path: String) -> String? {
        var buffer = [UInt8](repeating: 0, count: 128)
        let count = unsafe buffer.withUnsafeMutableBytes { bytes in
            guard let text = unsafe bytes.baseAddress?.assumingMemoryBound(to: CChar.self) else { return 0 }
            return unsafe readlink(path, text, bytes.count)
        }
        return count > 0 ? String(decoding: buffer.prefix(count), as: UTF8.self) : nil
    }

    /// Returns the digits of `time:[4026531834]`.
    private static func inode(_ text: String) -> String? {
        let digits = text.filter { ("0"..."9").contains($0) }
        return digits.isEmpty ? nil : digits
    }
}
