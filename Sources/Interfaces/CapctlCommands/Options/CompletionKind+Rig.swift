internal import ArgumentParser
internal import CaptureModel
internal import RigClient

/// What a shell completes by asking the coordinator. Without an answer, for which it waits three seconds at most, nothing
/// is completed.
extension CompletionKind {
    /// Cameras and microphones, as `node/device`.
    static var devices: CompletionKind {
        .custom { words, _, _ in await answer(words) { try await $0.devices().map(\.device.id.description) } }
    }

    /// The nodes of these devices.
    static var nodes: CompletionKind {
        .custom { words, _, _ in
            await answer(words) { Set(try await $0.devices().map(\.device.id.node.rawValue)).sorted() }
        }
    }

    /// Ids of the newest shots.
    static var shots: CompletionKind {
        .custom { words, _, _ in
            await answer(words) { try await $0.shots(limit: 50).shots.map(\.id.description) }
        }
    }

    /// Ids of the newest takes.
    static var takes: CompletionKind {
        .custom { words, _, _ in
            await answer(words) {
                try await $0.shots(ShotQuery(isOfTakes: true), limit: 50).shots.map(\.id.description)
            }
        }
    }

    /// - Parameter words: The command line, whose options say which rig is meant.
    static func answer(_ words: [String], _ question: (RigClient) async throws -> [String]) async -> [String] {
        do {
            return try await RigOptions.parse(RigOptions.words(among: words)).withClient(question)
        } catch {
            return []
        }
    }
}

extension RigOptions {
    /// The words of a command line that say which rig is meant.
    static func words(among words: [String]) -> [String] {
        let names = ["--context", "--admin", "--coordinator"]
        return words.indices.flatMap { index -> [String] in
            let word = words[index]
            if names.contains(word), index + 1 < words.endIndex { return [word, words[index + 1]] }
            return names.contains { word.hasPrefix("\($0)=") } ? [word] : []
        }
    }
}
