internal import CaptureModel
internal import RigClient

/// A shot or take as a person names it.
typealias ShotReference = IDReference<ShotID>

extension ShotReference {
    /// Reads a reference on the command line.
    static func argument(_ text: String) throws -> ShotReference { try argument(text, of: "a shot or take") }
}

/// Which of the shots and takes the word `last` means.
enum LastOf {
    case shots, takes, both

    fileprivate var noun: IDNoun { self == .takes ? .take : .shot }

    /// The queries whose newest answer is the last one.
    fileprivate var queries: [ShotQuery] {
        switch self {
        case .shots: [ShotQuery()]
        case .takes: [ShotQuery(isOfTakes: true)]
        case .both: [ShotQuery(), ShotQuery(isOfTakes: true)]
        }
    }
}

extension ShotSource {
    /// Shots listed at a time.
    private var page: Int { 1000 }

    /// Returns the shot or take that is meant. Looks for a part of an id in all of the library.
    /// - Throws: ``CommandFailure`` if there is none, or several are.
    func id(of reference: ShotReference, last: LastOf) async throws -> ShotID {
        switch reference {
        case .whole(let id): return id
        case .last:
            return try await newest(last)
        case .part:
            var all: [ShotID] = []
            for query in LastOf.both.queries { all += try await ids(query) }
            return try reference.resolved(among: all, last.noun)
        }
    }

    /// The newest by the coordinator's clock. Ids have the clock of the machine that triggered, which may be ahead.
    private func newest(_ last: LastOf) async throws -> ShotID {
        var shots: [ShotSummary] = []
        for query in last.queries {
            let page = try await list(query, limit: page, before: nil)
            shots += page.shots
            if let damaged = page.damaged.map(\.id).max(), damaged > page.shots.map(\.id).max() ?? damaged {
                throw CommandFailure(
                    .failed,
                    "the manifest of \(damaged) cannot be read, so it is not known which is the last; write the id")
            }
        }
        guard let newest = shots.max(by: { $0.realtimeNanoseconds < $1.realtimeNanoseconds }) else {
            throw CommandFailure(.failed, "there is no \(last.noun.singular) yet; `\(last.noun.list)` lists them")
        }
        return newest.id
    }

    private func ids(_ query: ShotQuery) async throws -> [ShotID] {
        var ids: [ShotID] = []
        while true {
            let shots = try await list(query, limit: page, before: ids.last).shots
            ids += shots.map(\.id)
            guard shots.count == page else { return ids }
        }
    }
}

extension ShotSourceOptions {
    /// Returns the shots and takes that are meant; asks nobody if whole ids name them.
    func ids(of references: [ShotReference], last: LastOf, _ console: Console) async throws -> [ShotID] {
        let whole = references.compactMap(\.whole)
        guard whole.count < references.count else { return whole }
        return try await withSource(console) { source in
            var ids: [ShotID] = []
            for reference in references { ids.append(try await source.id(of: reference, last: last)) }
            return ids
        }
    }

    func id(of reference: ShotReference, last: LastOf, _ console: Console) async throws -> ShotID {
        if let whole = reference.whole { return whole }
        return try await withSource(console) { try await $0.id(of: reference, last: last) }
    }
}

extension RigClient {
    /// Returns the shot or take that is meant; asks nothing if a whole id names it.
    func id(of reference: ShotReference, last: LastOf) async throws -> ShotID {
        try await CoordinatorShots(client: self).id(of: reference, last: last)
    }
}
