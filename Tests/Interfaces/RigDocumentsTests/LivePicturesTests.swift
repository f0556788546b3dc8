import CaptureModel
import Foundation
import Testing

@testable import RigDocuments

@Suite struct LivePicturesTests {
    private func status(
        _ format: PixelFormat?, _ state: DeviceCondition.State = .running, reason: String? = nil
    ) throws -> DeviceStatus {
        let format = format.map {
            VideoFormat(pixelFormat: $0, width: 64, height: 48, frameInterval: .milliseconds(40))
        }
        return DeviceStatus(
            device: DeviceDescription(id: try DeviceID("n1/cam"), driver: "virtual"),
            condition: DeviceCondition(state: state, reason: reason, format: format))
    }

    private func object(_ document: some Encodable) throws -> [String: Any]? {
        try JSONSerialization.jsonObject(with: JSONEncoder().encode(document)) as? [String: Any]
    }

    @Test("Says in lists, for scripts and for MQTT why a mosaic has no live pictures")
    func mosaic() throws {
        let raw = try status(.rggb10)
        for object in [
            try object(DeviceDocument(raw)),
            (try object(DevicesDocument([raw]))?["devices"] as? [[String: Any]])?.first,
        ] {
            let problem = try #require(object?["livePictureProblem"] as? String)
            #expect(problem.hasPrefix("n1/cam streams its sensor's mosaic, of which there are no live pictures"))
            #expect(problem.contains("`capctl trigger --device n1/cam --raw+jpeg`"), "nor what to do")
        }
        for other in [try status(.mjpeg), try status(.yuyv), try status(nil, .stopped)] {
            #expect(try object(DeviceDocument(other))?["livePictureProblem"] == nil)
        }
    }

    @Test("Says why no picture comes, as far as the camera's condition tells")
    func silence() throws {
        #expect(try status(.rggb10).livePictureSilence.contains("sensor's mosaic"))
        #expect(
            try status(nil, .busy, reason: "another program has it").livePictureSilence
                == "no picture of n1/cam comes: the camera is busy: another program has it")
        #expect(
            try status(.mjpeg).livePictureSilence.contains("though the camera runs; check the network to node 'n1'"))
    }
}
