internal import PosixSupport

/// The structure of a ZIP archive (PKWARE's APPNOTE.TXT 6.3.10) that is written from its beginning to its end, with files that are stored
/// as they are.
///
/// It returns the bytes between those of the files, and never sees the files. An archive, a file and a position above 4 GiB, and more than
/// 65 534 files, are written as zip64.
struct ZIPStream {
    /// A file in the archive.
    private struct Entry {
        let name: [UInt8]
        let byteCount: Int64
        let time: Time
        /// Where its header begins.
        let offset: Int64
        /// Whether its checksum follows it, since it was not known before.
        let hasDescriptor: Bool
        var checksum: UInt32

        var isLong: Bool { byteCount >= ZIPStream.longest }
    }

    /// The value of a field of 32 bits whose number is in a zip64 field instead.
    private static let longest: Int64 = 0xFFFF_FFFF
    private static let mostFiles = 0xFFFF
    private static let endByteCount: Int64 = 22
    private static let longEndByteCount: Int64 = 56 + 20
    /// Written on Unix, by the version of the format with zip64.
    private static let writer: UInt16 = 3 << 8 | 45

    private var entries: [Entry] = []
    private var entry: Entry?
    private var directoryByteCount: Int64 = 0
    /// How many bytes the archive has.
    private(set) var byteCount: Int64 = 0

    /// Begins a file.
    /// - Parameters:
    ///   - name: Its path, with `/` between folders.
    ///   - byteCount: Its length.
    ///   - realtimeNanoseconds: The time at which it was made.
    ///   - checksum: Its CRC-32; nil if that is known only at its end.
    /// - Returns: The bytes before the file.
    mutating func begin(
        _ name: String, byteCount: Int64, realtimeNanoseconds: Int64, checksum: UInt32?
    ) -> [UInt8] {
        let entry = Entry(
            name: Array(name.utf8), byteCount: byteCount, time: Time(realtimeNanoseconds), offset: self.byteCount,
            hasDescriptor: checksum == nil, checksum: checksum ?? 0)
        self.entry = entry
        let zip64 = entry.isLong ? Self.zip64([entry.byteCount, entry.byteCount]) : []
        let further = zip64 + entry.time.extra
        var bytes = Bytes()
        bytes.put(0x0403_4B50 as UInt32)
        bytes.put(Self.common(entry, further.count))
        bytes.put(entry.name + further)
        advance(by: Int64(bytes.all.count))
        return bytes.all
    }

    /// Counts bytes that are written between those that this type returns: of the file, or filler before the directory.
    mutating func advance(by count: Int64) { byteCount += count }

    /// Ends the file.
    /// - Parameter checksum: Its CRC-32.
    /// - Returns: The bytes after the file.
    mutating func end(checksum: UInt32) -> [UInt8] {
        guard var entry else { return [] }
        entry.checksum = checksum
        entries.append(entry)
        directoryByteCount += Int64(Self.record(entry).count)
        return descriptor(checksum)
    }

    /// Ends a file that the archive is not to have: the directory does not name it. Programs that read an archive without its directory find
    /// a wrong checksum.
    /// - Parameter checksum: The CRC-32 of what was written.
    mutating func abandon(checksum: UInt32) -> [UInt8] { descriptor(~checksum) }

    private mutating func descriptor(_ checksum: UInt32) -> [UInt8] {
        defer { entry = nil }
        guard let entry, entry.hasDescriptor else { return [] }
        var bytes = Bytes()
        bytes.put(0x0807_4B50 as UInt32)
        bytes.put(checksum)
        for _ in 0..<2 {
            if entry.isLong { bytes.put(UInt64(entry.byteCount)) } else { bytes.put(UInt32(entry.byteCount)) }
        }
        advance(by: Int64(bytes.all.count))
        return bytes.all
    }

    /// The length of the archive if its directory comes next.
    var shortestByteCount: Int64 { byteCount + directoryByteCount + ending(directoryAt: byteCount) }

    /// Returns how many bytes have to be filled before the directory, for an archive of this length; nil if it is longer already.
    func filler(endingAt length: Int64) -> Int64? {
        let start = length - directoryByteCount
        // The long form is also valid for a directory that begins just below the limit.
        let filler = start - ending(directoryAt: start - Self.endByteCount) - byteCount
        return filler >= 0 ? filler : nil
    }

    private func ending(directoryAt offset: Int64) -> Int64 {
        Self.endByteCount + (isLong(directoryAt: offset) ? Self.longEndByteCount : 0)
    }

    private func isLong(directoryAt offset: Int64) -> Bool {
        entries.count >= Self.mostFiles || offset >= Self.longest || directoryByteCount >= Self.longest
    }

    /// The end of the archive.
    /// - Parameter length: The length of the archive with it: ``shortestByteCount``, or that for which the filler was written.
    func directory(endingAt length: Int64) -> [UInt8] {
        var bytes = Bytes()
        for entry in entries { bytes.put(Self.record(entry)) }
        let isLong = isLong(directoryAt: length - directoryByteCount - Self.endByteCount)
        if isLong { putLongEnd(&bytes) }
        let count = UInt16(min(entries.count, Self.mostFiles))
        bytes.put(0x0605_4B50 as UInt32)
        bytes.put(UInt32(0))
        bytes.put(count)
        bytes.put(count)
        bytes.put(Self.clipped(directoryByteCount))
        bytes.put(Self.clipped(byteCount))
        bytes.put(UInt16(0))
        return bytes.all
    }

    private func putLongEnd(_ bytes: inout Bytes) {
        bytes.put(0x0606_4B50 as UInt32)
        bytes.put(UInt64(44))
        bytes.put(Self.writer)
        bytes.put(UInt16(45))
        bytes.put(UInt64(0))
        for number in [Int64(entries.count), Int64(entries.count), directoryByteCount, byteCount] {
            bytes.put(UInt64(number))
        }
        bytes.put(0x0706_4B50 as UInt32)
        bytes.put(UInt32(0))
        bytes.put(UInt64(byteCount + directoryByteCount))
        bytes.put(UInt32(1))
    }

    /// What the headers before a file and in the directory have in common, from the version to the length of the further fields.
    private static func common(_ entry: Entry, _ furtherByteCount: Int) -> [UInt8] {
        var bytes = Bytes()
        bytes.put(UInt16(entry.isLong || entry.offset >= longest ? 45 : 20))
        // The name is UTF-8 (bit 11); the checksum follows the file (bit 3).
        bytes.put(UInt16(1 << 11 | (entry.hasDescriptor ? 1 << 3 : 0)))
        bytes.put(UInt16(0))
        bytes.put(entry.time.clock)
        bytes.put(entry.time.date)
        bytes.put(entry.checksum)
        bytes.put(clipped(entry.byteCount))
        bytes.put(clipped(entry.byteCount))
        bytes.put(UInt16(entry.name.count))
        bytes.put(UInt16(furtherByteCount))
        return bytes.all
    }

    /// A file's record in the directory.
    private static func record(_ entry: Entry) -> [UInt8] {
        var numbers = entry.isLong ? [entry.byteCount, entry.byteCount] : []
        if entry.offset >= longest { numbers.append(entry.offset) }
        let further = (numbers.isEmpty ? [] : zip64(numbers)) + entry.time.extra
        var bytes = Bytes()
        bytes.put(0x0201_4B50 as UInt32)
        bytes.put(writer)
        bytes.put(common(entry, further.count))
        // No comment, the first disk, no attributes but those of Unix: a file of mode 0644.
        bytes.put(UInt16(0))
        bytes.put(UInt16(0))
        bytes.put(UInt16(0))
        bytes.put(UInt32(0o100644) << 16)
        bytes.put(clipped(entry.offset))
        bytes.put(entry.name + further)
        return bytes.all
    }

    private static func zip64(_ numbers: [Int64]) -> [UInt8] {
        var bytes = Bytes()
        bytes.put(UInt16(1))
        bytes.put(UInt16(8 * numbers.count))
        for number in numbers { bytes.put(UInt64(number)) }
        return bytes.all
    }

    private static func clipped(_ number: Int64) -> UInt32 { UInt32(min(number, longest)) }

    /// When a file was made.
    private struct Time {
        /// Of MS-DOS, which has no time zone: in UTC, to two seconds, from 1980 on.
        let date: UInt16
        let clock: UInt16
        /// The extended timestamp of Info-ZIP, in seconds of UTC.
        let extra: [UInt8]

        init(_ realtimeNanoseconds: Int64) {
            let utc = UTCDate(realtimeNanoseconds: realtimeNanoseconds)
            if (1980...2107).contains(utc.year) {
                date = UInt16(utc.year - 1980) << 9 | UInt16(utc.month) << 5 | UInt16(utc.day)
                clock = UInt16(utc.hour) << 11 | UInt16(utc.minute) << 5 | UInt16(min(utc.second, 59) / 2)
            } else {
                (date, clock) = (1 << 5 | 1, 0)
            }
            let seconds = Int32(clamping: max(0, realtimeNanoseconds / 1_000_000_000))
            var bytes = Bytes()
            bytes.put(UInt16(0x5455))
            bytes.put(UInt16(5))
            bytes.put([1])
            bytes.put(UInt32(seconds))
            extra = bytes.all
        }
    }

    /// Numbers in the order of bytes of the format.
    private struct Bytes {
        private(set) var all: [UInt8] = []

        mutating func put(_ number: some FixedWidthInteger & UnsignedInteger) {
            for shift in stride(from: 0, to: number.bitWidth, by: 8) {
                all.append(UInt8(truncatingIfNeeded: number >> shift))
            }
        }

        mutating func put(_ bytes: [UInt8]) { all += bytes }
    }
}
