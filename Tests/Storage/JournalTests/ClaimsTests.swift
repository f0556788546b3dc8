import CaptureModel
import Testing

@testable import Journal

@Suite struct ClaimsTests {
    @Test(
        "A file of headers that each claim the rest of it keeps the start of a daemon busy for minutes",
        .timeLimit(.minutes(1)))
    func claims() throws {
        let position = EventPosition(epoch: try #require(Epoch(rawValue: 7)), sequence: 1)
        let count = 40_000
        var bytes: [UInt8] = []
        let last = EventRecord(kind: .event, position: position, document: [1, 2, 3])
        // Each ends where the last record does, in a line feed.
        for number in 1...count { bytes += header(claiming: (count - number) * 23 + last.bytes.count - 1) }
        let (records, damaged) = EventRecord.parse(bytes + last.bytes)
        #expect(records == [last])
        #expect(damaged == 1)
    }

    /// A header of 23 bytes whose checksum is not that of what it claims.
    private func header(claiming count: Int) -> [UInt8] {
        let digits = String(count, radix: 16)
        return Array("CEJ2 \(String(repeating: "0", count: 8 - digits.count))\(digits) 00000000 ".utf8)
    }

    @Test("A file of headers of version 1 that each claim the rest of it keeps the start busy for minutes")
    func claimsOfVersion1() {
        let count = 40_000
        var bytes: [UInt8] = []
        for number in 0..<count {
            bytes += Array("CEJ1\u{1}".utf8) + [7, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0]
            let rest = UInt32((count - number - 1) * 25)
            for index in 0..<4 { bytes.append(UInt8(truncatingIfNeeded: rest >> (8 * index))) }
        }
        let (records, damaged) = EventRecord.parse(bytes + [0, 0, 0, 0])
        #expect(records == [] && damaged == 1)
    }

    @Test("Checksums of parts differ from those of the same bytes alone")
    func parts() {
        let bytes = (0..<3000).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 3) }
        let index = CRC32Index(bytes)
        for (start, end) in [(0, 0), (0, 1), (0, 256), (255, 257), (256, 256), (17, 2999), (512, 3000), (3000, 3000)] {
            #expect(index.checksum(of: start..<end) == CRC32.checksum(bytes[start..<end]))
        }
        #expect(CRC32.checksum(Array("123456789".utf8)) == 0xCBF4_3926, "the check value of the published algorithm")
    }
}
