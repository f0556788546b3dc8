/// Second bytes of the markers that are used here (ITU-T T.81, table B.1).
enum JPEGMarker {
    static let startOfImage: UInt8 = 0xD8
    static let endOfImage: UInt8 = 0xD9
    static let startOfScan: UInt8 = 0xDA
    static let quantizationTables: UInt8 = 0xDB
    static let restartInterval: UInt8 = 0xDD
    static let huffmanTables: UInt8 = 0xC4
    static let jpegExtension: UInt8 = 0xC8
    static let arithmeticConditioning: UInt8 = 0xCC
    static let restarts: ClosedRange<UInt8> = 0xD0...0xD7
    static let app0: UInt8 = 0xE0
    static let app1: UInt8 = 0xE1
    static let comment: UInt8 = 0xFE

    /// Returns whether the marker is a start of frame, of any process.
    static func isFrameHeader(_ marker: UInt8) -> Bool {
        (0xC0...0xCF).contains(marker) && marker != huffmanTables && marker != jpegExtension
            && marker != arithmeticConditioning
    }

    /// Returns whether the marker has no length. A header must not contain such a marker.
    static func standsAlone(_ marker: UInt8) -> Bool {
        marker <= 0x01 || (0xD0...0xD9).contains(marker) || marker == 0xFF
    }

    /// Returns whether a segment with this marker may be between two scans.
    static func mayFollowScan(_ marker: UInt8) -> Bool {
        [huffmanTables, startOfScan, quantizationTables, restartInterval, comment].contains(marker)
            || (0xE0...0xEF).contains(marker)
    }
}
