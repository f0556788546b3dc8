import CaptureModel
import RigClient
import Testing

@testable import CapctlCommands

@Suite struct GatewayChoiceTests {
    private func gateway(_ address: String) -> GatewayStatus {
        GatewayStatus(name: "web", address: address, certificate: nil)
    }

    @Test func `A gateway that other machines reach comes before one of its own machine`() {
        let here = [
            "http://127.0.0.1:7780/", "http://localhost:7780/", "http://[::1]:7780/", "https://127.0.0.1:7781/",
        ]
        let choice = GatewayChoice(among: (here + ["http://rig.example/"]).map(gateway), at: nil)
        #expect(choice.address == "http://rig.example/")
        let secure = GatewayChoice(
            among: (here + ["http://rig.example/", "https://10.0.0.9:7780/"]).map(gateway), at: nil)
        #expect(secure.address == "https://10.0.0.9:7780/")
    }

    @Test func `An address of the gateway's machine alone is told`() {
        let choice = GatewayChoice(among: [gateway("http://127.0.0.1:7780/")], at: nil)
        #expect(choice.address == "http://127.0.0.1:7780/")
        #expect(choice.note?.contains("only browsers on the machine of gateway 'web'") == true)
        let secure = GatewayChoice(
            among: ["http://localhost:7780/", "https://localhost:7781/"].map(gateway), at: nil)
        #expect(secure.address == "https://localhost:7781/")
        #expect(GatewayChoice(among: [gateway("https://10.0.0.9:7780/")], at: nil).note == nil)
    }
}
