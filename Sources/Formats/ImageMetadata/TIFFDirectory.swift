/// A TIFF image file directory: fields in rising tag order, then the values that do not fit into four bytes.
package struct TIFFDirectory {
    private var entries: [TIFFEntry] = []

    package init() {}

    /// Bytes of one field in the directory itself.
    package static let entrySize = 12

    /// Adds a field; nil is ignored.
    package mutating func add(_ entry: TIFFEntry?) {
        guard let entry else { return }
        entries.append(entry)
    }

    /// Bytes of the directory and of its values.
    package var byteCount: Int {
        6 + entries.count * Self.entrySize + entries.reduce(0) { $0 + Self.storedSize($1) }
    }

    /// The directory as it stands at this offset from the TIFF header.
    /// - Parameter next: Where the next directory of its chain stands; 0 where it is the last.
    package func serialized(at start: UInt32, next: UInt32 = 0) -> [UInt8] {
        var table: [UInt8] = []
        var values: [UInt8] = []
        let firstValue = Int(start) + 6 + entries.count * Self.entrySize
        table.appendBigEndian(UInt16(clamping: entries.count))
        for entry in entries.sorted(by: { $0.tag < $1.tag }) {
            table.appendBigEndian(entry.tag)
            table.appendBigEndian(entry.type)
            table.appendBigEndian(entry.count)
            if entry.value.count <= 4 {
                table += entry.value + [UInt8](repeating: 0, count: 4 - entry.value.count)
            } else {
                table.appendBigEndian(UInt32(clamping: firstValue + values.count))
                values += entry.value
                if !values.count.isMultiple(of: 2) { values.append(0) }
            }
        }
        table.appendBigEndian(next)
        return table + values
    }

    /// Values begin on word boundaries, so odd ones take a byte more.
    private static func storedSize(_ entry: TIFFEntry) -> Int {
        entry.value.count <= 4 ? 0 : entry.value.count + entry.value.count % 2
    }
}
