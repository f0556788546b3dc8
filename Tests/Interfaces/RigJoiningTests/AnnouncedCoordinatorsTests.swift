import ArgumentParser
import Testing

@testable import RigJoining

@Suite struct AnnouncedCoordinatorsTests {
    private let studio = "Caprig\\032on\\032studio"

    private func resolved(_ name: String, _ address: String, port: String = "7715") -> String {
        "=;eth0;IPv4;\(name);_caprig._tcp;local;studio.local;\(address);\(port);\n"
    }

    @Test func `The only coordinator is found, over whichever protocols and interfaces it is seen`() throws {
        let text =
            "+;eth0;IPv6;\(studio);_caprig._tcp;local\n" + resolved(studio, "fe80::1") + resolved(studio, "192.168.0.5")
            + resolved(studio, "192.168.7.5") + resolved(studio, "fd00::5")
        #expect(try AnnouncedCoordinators(browsed: text).only() == "192.168.0.5:7715")
        #expect(try AnnouncedCoordinators(browsed: resolved(studio, "FD00::5")).only() == "[fd00::5]:7715")
    }

    @Test func `Of several coordinators a person names one`() throws {
        let text = resolved(studio, "192.168.0.5") + resolved("Caprig\\032on\\032lab", "192.168.0.6", port: "8005")
        let error = #expect(throws: ValidationError.self) { try AnnouncedCoordinators(browsed: text).only() }
        let message = try #require(error).message
        #expect(message.contains("192.168.0.5:7715 (Caprig on studio), 192.168.0.6:8005 (Caprig on lab)"))
    }

    @Test(arguments: [
        "", "\n", "=", "=;;;;;;;;0", "=;eth0;IPv4;a;_caprig._tcp;local;h;;7715;", "Failed: \\", "=;a;b;c",
    ])
    func `Without a usable announcement a host is asked for`(text: String) throws {
        let error = #expect(throws: ValidationError.self) { try AnnouncedCoordinators(browsed: text).only() }
        #expect(try #require(error).message.contains("--request HOST"))
    }

    @Test func `A name is shown without control characters`() {
        let names = ["\\027[2J", "a\\.b\\\\c", "\\195\\188", "\\999", "\\"].map {
            AnnouncedCoordinators(browsed: resolved($0, "10.0.0.1")).found[0].name
        }
        #expect(names == ["\u{FFFD}[2J", "a.b\\c", "ü", "999", ""])
    }
}
