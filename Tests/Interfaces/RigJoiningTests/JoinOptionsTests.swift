import ArgumentParser
import CaptureModel
import RigSecurity
import Testing
import ZeroMQ

@testable import RigJoining

@Suite struct JoinOptionsTests {
    private func way(_ arguments: String...) async throws -> JoinOptions.Way {
        try await JoinOptions.parse(arguments).way()
    }

    @Test func `A coordinator's key is read as it is shown, and as key files have it`() throws {
        let curve = try CurveKeyPair.generate().publicKey
        let key = try #require(PublicKey(bytes: curve.bytes))
        for text in [key.base64, curve.description] {
            let place = try CoordinatorPlace(host: "pi4", key: CoordinatorPlace.readKey(text))
            #expect(place.key == key && "\(place.join)" == "pi4:7715")
        }
        let error = #expect(throws: SecurityError.self) { try CoordinatorPlace.readKey("\(key)") }
        #expect(error?.code == .badKey)
    }

    @Test func `Without the coordinator's key nothing is asked`() async throws {
        let error = await #expect(throws: (any Error).self) { try await way("--request", "pi4") }
        #expect("\(try #require(error))".contains("--coordinator-key"))
    }

    @Test(arguments: [["--name", "x"], ["--wait", "1h"], ["--coordinator-key", "x"]])
    func `Options of a request are refused with a code`(options: [String]) async {
        await #expect(throws: ValidationError.self) { try await JoinOptions.parse(["caprig1-xyz"] + options).way() }
    }

    @Test func `A code is not taken for a coordinator`() async throws {
        let error = await #expect(throws: (any Error).self) {
            try await way("--request", "caprig1-3drch", "--coordinator-key", "x")
        }
        #expect("\(try #require(error))".contains("leave out --request"))
    }

    @Test(arguments: [("1h", 3600), ("90 s", 90), ("10min", 600)])
    func `The wait is written with its unit`(text: String, seconds: Int) throws {
        #expect(try JoinOptions.parse(["--request", "pi4", "--wait", text]).patience == .seconds(seconds))
        #expect(try JoinOptions.parse(["--request", "pi4"]).patience == .seconds(3600))
        #expect(throws: (any Error).self) { try JoinOptions.parse(["--request", "pi4", "--wait", "60"]) }
    }
}
