/// The faults of a virtual camera that are in the bytes of a JPEG picture, as real cameras have them.
enum PictureFaults {
    /// Returns the picture with these faults.
    /// - Parameter picture: A baseline JPEG with restart markers.
    static func apply(_ faults: Set<VirtualFault.Kind>, to picture: [UInt8]) -> [UInt8] {
        var bytes = faults.contains(.damaged) ? withoutInterval(picture) : picture
        if faults.contains(.unended) { bytes.removeLast(min(2, bytes.count)) }
        if faults.contains(.trailing) { bytes += maker + [UInt8](repeating: 0xFF, count: 16) + remainder(of: picture) }
        return faults.contains(.torn) ? Array(bytes.prefix(bytes.count / 2)) : bytes
    }

    /// What a maker appends.
    private static let maker = Array("CAPRIG\0\0".utf8)

    /// What is left of an older frame in the driver's buffer, with its end-of-image marker.
    private static func remainder(of picture: [UInt8]) -> ArraySlice<UInt8> { picture.suffix(picture.count / 4) }

    /// Removes the restart interval in the middle, with the marker before it.
    private static func withoutInterval(_ picture: [UInt8]) -> [UInt8] {
        let markers = picture.indices.dropLast().filter {
            picture[$0] == 0xFF && (0xD0...0xD7).contains(picture[$0 + 1])
        }
        guard markers.count > 2 else { return picture }
        let middle = markers.count / 2
        return Array(picture[..<markers[middle]] + picture[markers[middle + 1]...])
    }
}
