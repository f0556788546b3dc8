import RigConfiguration
import Testing

@Suite struct CoordinatorPortTests {
    @Test func `Each channel is found from any other`() {
        let control = TCPEndpoint(host: "rig", port: 7710)
        #expect(control.channel(.join, from: .control) == TCPEndpoint(host: "rig", port: 7715))
        #expect(TCPEndpoint(host: "rig", port: 7713).channel(.join, from: .client)?.port == 7715)
        #expect(CoordinatorPort.join.standard == 7715)
    }

    @Test func `Beyond the last port there is no channel`() {
        #expect(TCPEndpoint(host: "rig", port: 65_533).channel(.join, from: .control) == nil)
        #expect(TCPEndpoint(host: "rig", port: 1).channel(.control, from: .client) == nil)
    }
}
