import RigConfiguration
import Testing

@testable import RTSPCamera

@Suite("RTSP camera: configuration")
struct RTSPConfigurationTests {
    @Test(
        "Accepts addresses, with what is shown of them",
        arguments: [
            ("rtsp://camera", "rtsp://camera"), ("rtsp://10.0.0.7:554/stream1", "rtsp://10.0.0.7:554/stream1"),
            ("rtsp://[fd00::1]:8554/a/b.sdp", "rtsp://[fd00::1]:8554/a/b.sdp"),
            ("RTSP://gate.local/x", "rtsp://gate.local/x"),
            ("rtsp://gate/cam?user=a&password=b", "rtsp://gate/…"),
            ("rtsp://gate/user=a_password=b_1", "rtsp://gate/…"),
        ])
    func addresses(text: String, name: String) throws {
        let address = try RTSPAddress(text)
        #expect(address.name == name)
        #expect(address.url.hasPrefix("rtsp://") && address.url.dropFirst(7) == text.dropFirst(7))
    }

    @Test("Refuses an address with a user, says where a password belongs, and does not repeat it")
    func user() {
        for text in ["rtsp://anna:secret@camera/s", "rtsp://anna@camera/s", "rtsp://anna:secret@[::1]:8554/s"] {
            let fault = #expect(throws: RTSPAddress.Fault.self) { try RTSPAddress(text) }
            #expect(fault?.reason.contains("`credentials`") == true && fault?.reason.contains("mode 600") == true)
            #expect(fault?.reason.contains("anna") == false && fault?.reason.contains("secret") == false)
        }
    }

    @Test(
        "Refuses what is not an address, and does not repeat it",
        arguments: [
            "http://camera/s", "rtsp://", "rtsp:///s", "rtsp://camera:0/s", "rtsp://camera:99999/s",
            "rtsp://camera:x/s",
            "rtsp://[::1/s", "rtsp://cam era/s", "rtsp://camera/a b", "rtsp://camera/\u{e4}", "rtsp://camera/#x",
            "rtsp://anna:se/cret@camera", "rtsp://camera/" + String(repeating: "x", count: 1000),
        ])
    func wrong(text: String) {
        let fault = #expect(throws: RTSPAddress.Fault.self) { try RTSPAddress(text) }
        #expect(fault?.reason.contains("cret") == false && fault?.reason.contains("camera") == false)
    }
}
