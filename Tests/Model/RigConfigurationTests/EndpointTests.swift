import Testing

@testable import RigConfiguration

@Suite struct EndpointTests {
    @Test(
        "an endpoint gives its host, without brackets, and its port",
        arguments: [
            ("tcp://127.0.0.1:7713", "127.0.0.1", 7713), ("tcp://rig-1.local:1", "rig-1.local", 1),
            ("tcp://[::1]:65535", "::1", 65_535), ("tcp://[fe80::1%eth0]:7710", "fe80::1%eth0", 7710),
        ])
    func whole(text: String, host: String, port: UInt16) throws {
        let endpoint = try TCPEndpoint(parsing: text)
        #expect(endpoint == TCPEndpoint(host: host, port: port))
        #expect(endpoint.description == text)
    }

    @Test(
        "a text that is no endpoint is refused with what is wrong with it",
        arguments: [
            ("", "write it as tcp://HOST:PORT"), ("ipc:///run/rig", "write it as tcp://HOST:PORT"),
            ("tcp://", "it names no port"), ("tcp://rig", "it names no port"), ("tcp://[::1]", "it names no port"),
            ("tcp://:7710", "it names no host"), ("tcp://[]:7710", "it names no host"),
            ("tcp://a b:7710", "'a b' is no host name or address"), ("tcp://[rig]:7710", "'rig' is no host name"),
            ("tcp://::1:7710", "write it as tcp://[HOST]:PORT"), ("tcp://rig:", "its port '' is no number"),
            ("tcp://rig:7710x", "its port '7710x' is no number"), ("tcp://rig:-1", "its port '-1' is no number"),
            ("tcp://rig:0", "port 0 is out of range"), ("tcp://rig:65536", "port 65536 is out of range"),
            ("tcp://rig:99999999999999999999", "port 99999999999999999999 is out of range"),
            ("tcp://rig\u{1B}[2J:1", "'rig\u{FFFD}[2J' is no host name"),
        ])
    func faulty(text: String, reason: String) {
        let fault = #expect(throws: EndpointFault.self) { try TCPEndpoint(parsing: text) }
        #expect(fault?.description.contains(" is no endpoint: ") == true)
        #expect(fault?.description.contains(reason) == true, "\(fault?.description ?? "")")
        #expect(TCPEndpoint(text) == nil)
    }
}
