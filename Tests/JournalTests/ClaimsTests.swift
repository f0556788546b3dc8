import CaptureModel
import Testing

@testable import Journal

@Suite struct ClaimsTests {
    @Test(
        "A file of headers that each claim the rest of it keeps the start of a daemon busy for minutes",
        .timeLimit(.minutes(1)))
    func claims() throws {
        let position = EventPosition(epoch: try #require(Epoch(rawValue: 7)), sequence: 1)
        let header = EventRecord(kind: .event, position: position).bytes.prefix(25)
        let count = 40_000
        var bytes: [UInt8] = []
        for number in 0..<count {
            bytes += header
            let rest = UInt32((count - number - 1) * 25)
            for index in 0..<4 { bytes[bytes.count - 4 + index] = UInt8(truncatingIfNeeded: rest >> (8 * index)) }
        }
        bytes += [0, 0, 0, 0]
        let last = EventRecord(kind: .event, position: position, payload: [1, 2, 3])
        let (records, damaged) = EventRecord.parse(bytes + last.bytes)
        #expect(records == [last])
        #expect(damaged == 1)
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
