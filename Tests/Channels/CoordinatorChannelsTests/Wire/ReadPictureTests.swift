import CaptureModel
import CaptureTestSupport
import FoundationEssentials
import RigProtocol
import RigTestSupport
import RigWire
import Testing
import ZeroMQ

/// Clients read small pictures of stored files through the client channel.
@Suite(.timeLimit(.minutes(10))) struct ReadPictureTests {
    private func fill(_ folder: TemporaryFolder) async throws {
        try await WireBench.fill(folder, photo: Samples.jpeg)
    }

    private func request(change: (inout WireReadPicture) -> Void = { _ in }) -> WireClientRequest {
        var request = WireClientRequest()
        (request.requestID, request.protocolVersion) = (1, ProtocolVersion.current)
        (request.readPicture.shotID, request.readPicture.file) = (Samples.shot().wire, "north.cam/photo.jpg")
        request.readPicture.picture = "thumbnail"
        change(&request.readPicture)
        return request
    }

    @Test func `a client reads both small pictures of a file that a coordinator has stored`() async throws {
        let bench = try await WireBench(prepare: fill)
        let socket = try await bench.dealer(bench.client)
        for name in ["thumbnail", "preview"] {
            let picture = try await bench.ask(socket, request { $0.picture = name }).smallPicture
            #expect(picture.shotID == Samples.shot().wire && picture.file == "north.cam/photo.jpg")
            #expect(picture.picture == name && picture.data.starts(with: [0xFF, 0xD8]), "\(picture)")
            #expect(picture.byteCount == Samples.jpeg.count)
            #expect(ContentDigest(bytes: picture.sha256) == Samples.digest(Samples.jpeg))
        }
        await socket.close()
        await bench.end()
    }

    @Test func `hostile fields are refused and name the field`() async throws {
        let bench = try await WireBench(prepare: fill)
        let socket = try await bench.dealer(bench.client)
        let hostile: [(String, (inout WireReadPicture) -> Void)] = [
            ("shot_id", { $0.shotID = Data([1, 2]) }), ("shot_id", { $0.shotID = Data() }), ("file", { $0.file = "" }),
            ("file", { $0.file = String(repeating: "../", count: 100) }), ("picture", { $0.picture = "" }),
            ("picture", { $0.picture = "full" }), ("picture", { $0.picture = "../thumbnail" }),
            ("picture", { $0.picture = String(repeating: "x", count: 100_000) }),
        ]
        for (field, change) in hostile {
            let problem = try await bench.ask(socket, request(change: change)).failure.problem
            #expect(problem.code == "protocolViolation" && problem.message.contains(field), "\(problem)")
            #expect(problem.message.utf8.count < 300)
        }
        for (code, change) in [
            ("unknownFile", { (read: inout WireReadPicture) in read.file = "../x" }),
            ("unknownFile", { $0.file = "../../.previews/made" }),
            ("unknownShot", { $0.shotID = Samples.shot(2).wire }),
        ] {
            let problem = try await bench.ask(socket, request(change: change)).failure.problem
            #expect(problem.code == code, "\(problem)")
        }
        await socket.close()
        await bench.end()
    }
}
