import Foundation
import Testing

@Suite struct FuzzReplayTests {
    private static let corpus = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "Corpus")

    private static func inputs(of target: FuzzTarget) throws -> [URL] {
        try FileManager.default.contentsOfDirectory(
            at: corpus.appending(path: target.rawValue), includingPropertiesForKeys: nil
        )
        .sorted { $0.path < $1.path }
    }

    @Test("Reads every kept fuzzer input without harm", arguments: FuzzTarget.allCases)
    func replay(target: FuzzTarget) throws {
        let inputs = try Self.inputs(of: target)
        #expect(!inputs.isEmpty, "\(target.rawValue) has no corpus")
        for input in inputs {
            do {
                try target.run(Array(try Data(contentsOf: input)))
            } catch {
                Issue.record("\(input.lastPathComponent): \(error)")
            }
        }
    }

    @Test("Refuses nothing at all, and bytes cut off anywhere", arguments: FuzzTarget.allCases)
    func cutOff(target: FuzzTarget) throws {
        try target.run([])
        for input in try Self.inputs(of: target).prefix(4) {
            let bytes = Array(try Data(contentsOf: input))
            for count in stride(from: 0, to: bytes.count, by: max(1, bytes.count / 16)) {
                try target.run(Array(bytes.prefix(count)))
            }
        }
    }
}
