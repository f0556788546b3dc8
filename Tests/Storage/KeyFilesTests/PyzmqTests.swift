import CaptureTestSupport
import Foundation
import KeyFiles
import Testing
import ZeroMQ

/// pyzmq: a Python with the module `zmq`, that of the repository or the system's.
private enum Pyzmq {
    static let python: String? = {
        var root = URL(filePath: #filePath)
        // This file, and the folders KeyFilesTests, Storage and Tests.
        for _ in 0..<4 { root.deleteLastPathComponent() }
        let candidates = ["\(root.path(percentEncoded: false))/.python/bin/python", "python3"]
        return candidates.first { (try? ExternalTool.run($0, "-c", "import zmq.auth"))?.status == 0 }
    }()

    static func run(_ script: String, _ arguments: String...) throws -> String {
        let python = try #require(python, "needs a Python with pyzmq")
        let outcome = try ExternalTool.run([python, "-c", script] + arguments)
        try #require(outcome.status == 0, "\(outcome.output)")
        return outcome.output
    }
}

@Suite(.enabled(if: Pyzmq.python != nil, "needs a Python with pyzmq")) struct PyzmqTests {
    @Test func `pyzmq loads the key pair of a key file`() throws {
        let folder = try KeyFolder()
        let pair = try folder.create().pair
        let loaded = try Pyzmq.run(
            "import sys, zmq.auth; p, s = zmq.auth.load_certificate(sys.argv[1]); print(p.decode(), s.decode())",
            folder.keyPath)
        #expect(loaded == "\(pair.publicKey) \(pair.secretKey.z85)\n")
    }

    @Test func `pyzmq loads the public key of the coordinator, and finds no secret key`() throws {
        let folder = try TemporaryFolder()
        let key = try CurveKeyPair.generate().publicKey
        try AdminKey(in: "\(folder.path)/admin").publish(key, holder: "c", endpoint: "tcp://127.0.0.1:7713")
        let loaded = try Pyzmq.run(
            "import sys, zmq.auth; p, s = zmq.auth.load_certificate(sys.argv[1]); print(p.decode(), s)",
            "\(folder.path)/admin/coordinator.key")
        #expect(loaded == "\(key) None\n")
    }

    @Test func `A key file of pyzmq is read once its mode is that of a secret`() throws {
        let folder = try KeyFolder()
        try folder.create()
        let script = """
            import sys, zmq.auth
            _, path = zmq.auth.create_certificates(sys.argv[1], "theirs", {"email": "a@b"})
            print(zmq.auth.load_certificate(path)[0].decode(), end="")
            """
        let key = try Pyzmq.run(script, folder.path)
        let path = "\(folder.path)/theirs.key_secret"
        try KeyFolder.setMode(0o644, path)
        let file = try KeyFile("theirs.key_secret", in: folder.path, environment: [:])
        #expect(throws: KeyFileError.self) { try file.load() }
        try KeyFolder.setMode(0o600, path)
        #expect(try file.load().publicKey.description == key)
    }
}
