import CameraKit
import CaptureModel
import LibAV
import Testing

@testable import RTSPCamera

@Suite("RTSP camera: pictures of packets")
struct AccessUnitsTests {
    private let start = LocalTime(nanoseconds: 0)

    private func packet(_ time: Int64?, _ bytes: [UInt8], wallClock: Int64? = nil) -> RTSPReader.Packet {
        RTSPReader.Packet(time: time, wallClockMicroseconds: wallClock, bytes: bytes)
    }

    private func arrival(_ milliseconds: Int) -> Arrival {
        Arrival(instant: start + .milliseconds(milliseconds), delay: .zero)
    }

    @Test("Joins the packets of one time, and keeps the first one's arrival and the camera's time")
    func joined() {
        var units = AccessUnits(.h264)
        #expect(units.add(packet(100, [1]), arrival: arrival(1), isAfterLoss: false) == nil)
        #expect(units.add(packet(100, [2], wallClock: 5), arrival: arrival(2), isAfterLoss: false) == nil)
        #expect(units.add(packet(nil, [3]), arrival: arrival(3), isAfterLoss: false) == nil)
        let unit = units.add(packet(200, [4]), arrival: arrival(4), isAfterLoss: false)
        #expect(
            unit
                == AccessUnits.Unit(bytes: [1, 2, 3], time: 100, wallClock: .microseconds(5), arrival: arrival(1)))
    }

    @Test("Takes neither the picture before a lost packet nor the one after it for whole")
    func lost() {
        var units = AccessUnits(.h264)
        _ = units.add(packet(100, [1]), arrival: arrival(1), isAfterLoss: false)
        #expect(units.add(packet(200, [2]), arrival: arrival(2), isAfterLoss: true)?.isWhole == false)
        #expect(units.add(packet(300, [3]), arrival: arrival(3), isAfterLoss: false)?.isWhole == false)
        #expect(units.add(packet(300, [4]), arrival: arrival(4), isAfterLoss: true) == nil)
        #expect(units.add(packet(400, [5]), arrival: arrival(5), isAfterLoss: false)?.isWhole == false)
        #expect(units.add(packet(500, [6]), arrival: arrival(6), isAfterLoss: false)?.isWhole == true)
    }

    @Test("Keeps a bounded number of bytes of a picture without an end")
    func endless() {
        var units = AccessUnits(.h264)
        let piece = [UInt8](repeating: 7, count: 1 << 20)
        for _ in 0..<70 { _ = units.add(packet(100, piece), arrival: arrival(1), isAfterLoss: false) }
        let unit = units.add(packet(200, []), arrival: arrival(2), isAfterLoss: false)
        #expect(unit?.isWhole == false && (unit?.bytes.count ?? .max) <= AccessUnits.largest)
    }

    @Test("Takes each JPEG for a picture at once")
    func jpeg() {
        var units = AccessUnits(.motionJPEG)
        let unit = units.add(packet(100, [1]), arrival: arrival(1), isAfterLoss: true)
        #expect(unit?.bytes == [1] && unit?.isWhole == true)
    }

    @Test("Knows the pictures with which decoding can begin")
    func entries() {
        let code: [UInt8] = [0, 0, 0, 1]
        #expect(MediaCodec.h264.canBegin(with: code + [0x67, 1, 2] + code + [0x65, 0x88, 1]))
        #expect(MediaCodec.h264.canBegin(with: [0, 0, 1, 0x06, 0x06, 1]))
        #expect(!MediaCodec.h264.canBegin(with: code + [0x67, 1, 2] + code + [0x41, 0x88, 1]))
        #expect(!MediaCodec.h264.canBegin(with: code + [0x65]))
        #expect(MediaCodec.h265.canBegin(with: code + [0x26, 1, 2]))
        #expect(!MediaCodec.h265.canBegin(with: code + [0x02, 1, 2]))
        #expect(MediaCodec.motionJPEG.canBegin(with: [0xFF, 0xD8]))
        #expect(!MediaCodec.h264.canBegin(with: []))
    }
}
