import CaptureModel
import ShotDocuments
public import StorageKit

/// A store as one process has it open.
public struct OpenStore: Sendable {
    public var shots: any ShotStore
    public var annotations: any AnnotationStore
    public var assets: any AssetStore

    public init(shots: any ShotStore, annotations: any AnnotationStore, assets: any AssetStore) {
        self.shots = shots
        self.annotations = annotations
        self.assets = assets
    }
}

/// What every store owes its users, whatever keeps its bytes.
///
/// Every check opens an empty store of its own. Where a process ends in between, everything it had open is let go of, and the same
/// store is opened again.
public struct StorageConformance: Sendable {
    /// Opens the store; called again after the values of the call before are gone.
    public typealias Opening = @Sendable () async throws -> OpenStore

    /// Makes an empty store.
    private let make: @Sendable () throws -> Opening

    public init(make: @escaping @Sendable () throws -> Opening) {
        self.make = make
    }

    /// Runs one check to its end.
    /// - Throws: ``StoreFailure`` with what was seen.
    public func run(_ check: StoreCheck) async throws(StoreFailure) {
        do {
            try await perform(check, try make())
        } catch let finding as Finding {
            throw StoreFailure(check: check, finding: finding.text)
        } catch {
            throw StoreFailure(check: check, finding: "\(error)")
        }
    }

    private func perform(_ check: StoreCheck, _ open: Opening) async throws {
        switch check {
        case .createdManifest: try await createdManifest(open)
        case .manifestAsWritten: try await manifestAsWritten(open)
        case .repeatedCreate: try await repeatedCreate(open)
        case .racingCreates: try await racingCreates(open)
        case .replacement: try await replacement(open)
        case .repeatedReplace: try await repeatedReplace(open)
        case .staleReplace: try await staleReplace(open)
        case .risingRevisions: try await risingRevisions(open)
        case .pagedListing: try await pagedListing(open)
        case .stamps: try await stamps(open)
        case .openShots: try await openShots(open)
        case .deleted: try await deleted(open)
        case .deletedOnce: try await deletedOnce(open)
        case .deletedWithoutAShot: try await deletedWithoutAShot(open)
        case .annotations: try await annotations(open)
        case .racingAnnotations: try await racingAnnotations(open)
        case .conditionalEdits: try await conditionalEdits(open)
        case .upload: try await upload(open)
        case .emptyAsset: try await emptyAsset(open)
        case .manyPieces: try await manyPieces(open)
        case .misplacedBytes: try await misplacedBytes(open)
        case .durableBytes: try await durableBytes(open)
        case .incompleteCommit: try await incompleteCommit(open)
        case .wrongDigest: try await wrongDigest(open)
        case .suspended: try await suspended(open)
        case .interrupted: try await interrupted(open)
        case .committedBefore: try await committedBefore(open)
        case .otherContent: try await otherContent(open)
        case .unknownShot: try await unknownShot(open)
        case .forgotten: try await forgotten(open)
        case .abandonedUploads: try await abandonedUploads(open)
        case .severalAtOnce: try await severalAtOnce(open)
        case .removed: try await removed(open)
        case .listedAssets: try await listedAssets(open)
        case .verification: try await verification(open)
        }
    }
}

extension StorageConformance {
    func createdManifest(_ open: Opening) async throws {
        let shot = try Samples.shot()
        var store: OpenStore? = try await open()
        try await store?.shots.check()
        try require(try await store?.shots.shot(shot.id) == nil, "a shot is there before it was stored")
        try await store?.shots.create(shot)
        try require(try await store?.shots.shot(shot.id) == shot, "it is read otherwise")
        store = nil
        let next = try await open()
        try require(try await next.shots.shot(shot.id) == shot, "the next process reads it otherwise")
        try require(try await next.shots.shot(Samples.shotID(2)) == nil, "a shot is there that was never stored")
        try require(!next.shots.location.isEmpty, "people are not told where the store is")
    }

    func manifestAsWritten(_ open: Opening) async throws {
        let store = try await open()
        let first = try Samples.shot()
        try require(
            try await store.shots.manifestBytes(of: first.id) == nil, "a manifest is there before it was stored")
        try await store.shots.create(first)
        let next = first.revised()
        for shot in [first, next] {
            if shot == next { try await store.shots.replace(0, with: next) }
            let bytes = try await store.shots.manifestBytes(of: first.id)
            try require(try bytes == StoredManifest(writing: shot).bytes, "it is stored otherwise than it was written")
            try require(
                try await store.shots.shot(first.id) == StoredManifest(bytes ?? []).shot, "it is read otherwise")
        }
    }

    func repeatedCreate(_ open: Opening) async throws {
        let store = try await open()
        let shot = try Samples.shot()
        try await store.shots.create(shot)
        try await store.shots.create(shot)
        var other = shot
        other.request.requireAll = true
        try await requireFailure(.conflict, "creating another manifest") { try await store.shots.create(other) }
        try require(try await store.shots.shot(shot.id) == shot, "the first manifest is gone")
    }

    func racingCreates(_ open: Opening) async throws {
        let store = try await open()
        let shots = try (0..<8).map { number in
            var shot = try Samples.shot()
            shot.time = RigTime(nanoseconds: 1_000_000_250 + Int64(number))
            return shot
        }
        let winners = await withTaskGroup(of: Shot?.self) { group in
            for shot in shots {
                group.addTask { (try? await store.shots.create(shot)) == nil ? nil : shot }
            }
            return await group.reduce(into: [Shot]()) { winners, shot in if let shot { winners.append(shot) } }
        }
        try require(winners.count == 1, "\(winners.count) of 8 were told that theirs is stored")
        try require(try await store.shots.shot(shots[0].id) == winners[0], "another one is stored")
    }

    func replacement(_ open: Opening) async throws {
        let first = try Samples.shot()
        var store: OpenStore? = try await open()
        try await store?.shots.create(first)
        try await store?.shots.replace(0, with: first.revised())
        try require(try await store?.shots.shot(first.id) == first.revised(), "it is read otherwise")
        store = nil
        let next = try await open()
        let last = first.revised().revised(.complete)
        try await next.shots.replace(1, with: last)
        try require(try await next.shots.shot(first.id) == last, "the next process cannot go on")
        var later = last.revised(.complete)
        later.revision = 7
        try await next.shots.replace(2, with: later)
        try require(try await next.shots.shot(first.id) == later, "a revision is not left out")
    }

    func repeatedReplace(_ open: Opening) async throws {
        let first = try Samples.shot()
        var store: OpenStore? = try await open()
        try await store?.shots.create(first)
        try await store?.shots.replace(0, with: first.revised())
        try await store?.shots.replace(0, with: first.revised())
        store = nil
        let next = try await open()
        try await next.shots.replace(0, with: first.revised())
        try require(try await next.shots.shot(first.id) == first.revised(), "it is read otherwise")
    }

    func staleReplace(_ open: Opening) async throws {
        let store = try await open()
        let first = try Samples.shot()
        try await requireFailure(.notFound, "replacing a manifest that is not there") {
            try await store.shots.replace(0, with: first.revised())
        }
        try await store.shots.create(first)
        try await store.shots.replace(0, with: first.revised())
        var stale = first.revised()
        stale.status = .failed
        try await requireFailure(.conflict, "replacing a revision that is not stored") {
            try await store.shots.replace(0, with: stale)
        }
        try await requireFailure(.conflict, "replacing a revision that never was") {
            try await store.shots.replace(5, with: first.revised().revised().revised().revised().revised().revised())
        }
        try require(try await store.shots.shot(first.id) == first.revised(), "the manifest has changed")
    }

    func risingRevisions(_ open: Opening) async throws {
        let store = try await open()
        let shot = try Samples.shot().revised()
        try await store.shots.create(shot)
        for revision in [1, 2] {
            try await requireFailure(.invalidRequest, "replacing \(revision) by 1") {
                try await store.shots.replace(revision, with: shot)
            }
        }
    }

    func pagedListing(_ open: Opening) async throws {
        let store = try await open()
        let shots = try (1...23).map { try Samples.shot(Int64($0), daysLater: Int64($0 / 8)) }
        for shot in shots.shuffled() { try await store.shots.create(shot) }
        var days: [String] = []
        while true {
            let page = try await store.shots.days(before: days.last, limit: 2).map(\.name)
            days += page
            if page.count < 2 { break }
        }
        try require(days == ["2026/11/23", "2026/11/22", "2026/11/21"], "the days are \(days)")
        for limit in [1, 4, 7, 100] {
            var ids: [ShotID] = []
            for day in days.reversed() {
                var page: [ShotEntry] = []
                repeat {
                    page = try await store.shots.list(day, after: page.last?.id, limit: limit)
                    ids += page.map(\.id)
                } while page.count == limit
            }
            try require(ids == shots.map(\.id), "in pages of \(limit) the shots are \(ids)")
        }
        let found = try await store.shots.shots(limit: 100).shots
        try require(found == shots.reversed(), "the newest are not first")
        try require(try await store.shots.day(of: shots[22].id) == "2026/11/23", "a shot has another day")
        try require(try await store.shots.list("1999/01/01").isEmpty, "a day without shots has some")
    }

    func stamps(_ open: Opening) async throws {
        let store = try await open()
        let shot = try Samples.shot()
        try await store.shots.create(shot)
        try await store.shots.create(Samples.shot(2))
        let day = ShotDay.name(of: shot)
        func stamp() async throws -> ShotStamp {
            let listed = try await store.shots.list(day).first { $0.id == shot.id }?.stamp
            try require(try await store.shots.stamp(of: shot.id, day: day) == listed, "two stamps of one state differ")
            let record = try await store.shots.record(of: shot.id, day: day)
            try require(record?.stamp == listed, "a record has another stamp")
            guard let listed else { throw Finding("a shot has no stamp") }
            return listed
        }
        let first = try await stamp()
        try require(first.annotation.isEmpty && !first.manifest.isEmpty, "the stamp is \(first)")
        try await store.shots.replace(0, with: shot.revised())
        let second = try await stamp()
        try require(second.manifest != first.manifest, "a new manifest has the stamp of the one before")
        _ = try await store.annotations.edit(shot.id, ShotAnnotationEdit(title: "Gipfel"))
        let third = try await stamp()
        try require(third.manifest == second.manifest, "an annotation changes the manifest's stamp")
        try require(!third.annotation.isEmpty, "an annotation has no stamp")
        try await store.assets.collect(Samples.photo(), [1, 2, 3])
        try require(try await stamp() == third, "an asset changes a stamp")
        try require(try await store.shots.stamp(of: Samples.shotID(9), day: day) == nil, "no shot has a stamp")
    }

    func openShots(_ open: Opening) async throws {
        let store = try await open()
        for number in Int64(1)...6 { try await store.shots.create(Samples.shot(number, daysLater: number / 4)) }
        for number in [Int64(2), 5] {
            let shot = try Samples.shot(number, daysLater: number / 4)
            try await store.shots.replace(0, with: shot.revised(.partial))
        }
        let found = try await store.shots.openShots()
        try require(found.shots.map(\.id) == [1, 3, 4, 6].map { Samples.shotID($0) }, "found \(found.shots.map(\.id))")
        try require(found.damaged.isEmpty && found.unbegun.isEmpty, "others are found too")
    }

    func annotations(_ open: Opening) async throws {
        let shot = try Samples.shot()
        var store: OpenStore? = try await open()
        try await store?.shots.create(shot)
        try require(try await store?.annotations.annotation(of: shot.id) == ShotAnnotation(), "one is there already")
        _ = try await store?.annotations.edit(shot.id, ShotAnnotationEdit(title: "Gipfel", note: "Wind\nSüd"))
        let (one, two) = (try DeviceID("north/cam1"), try DeviceID("north/cam2"))
        _ = try await store?.annotations.edit(shot.id, ShotAnnotationEdit(title: "Gipfelkreuz", reject: [two, one]))
        _ = try await store?.annotations.edit(shot.id, ShotAnnotationEdit(accept: [one]))
        try await store?.shots.replace(0, with: shot.revised())
        store = nil
        let next = try await open()
        let expected = ShotAnnotation(title: "Gipfelkreuz", note: "Wind\nSüd", rejected: [two])
        try require(
            try await next.annotations.annotation(of: shot.id) == expected, "the next process reads another one")
        try require(try await next.shots.annotation(of: shot.id) == expected, "the store of shots reads another one")
        _ = try await next.annotations.edit(shot.id, ShotAnnotationEdit(title: "", note: "", accept: [two]))
        try require(try await next.annotations.annotation(of: shot.id) == ShotAnnotation(), "it cannot be removed")
        try await requireFailure(.notFound, "annotating a shot that is not there") {
            _ = try await next.annotations.edit(Samples.shotID(9), ShotAnnotationEdit(title: "x"))
        }
    }

    func conditionalEdits(_ open: Opening) async throws {
        let store = try await open()
        let id = try Samples.shot().id
        try await store.shots.create(Samples.shot())
        for round in 1...20 {
            let known = try await store.annotations.annotation(of: id)
            let codes = await withTaskGroup(of: StorageError.Code?.self) { group in
                for number in 1...4 {
                    group.addTask {
                        do throws(StorageError) {
                            _ = try await store.annotations.edit(id, ShotAnnotationEdit(title: "\(round).\(number)")) {
                                (found) throws(StorageError) in found == known
                            }
                            return nil
                        } catch {
                            return error.code
                        }
                    }
                }
                return await group.reduce(into: []) { $0.append($1) }
            }
            try require(codes.count { $0 == nil } == 1, "round \(round): the edits end with \(codes)")
            // Another program may hold the lock for as long as an edit tries.
            let isExpected = codes.allSatisfy { [nil, .preconditionFailed, .conflict].contains($0) }
            try require(isExpected, "round \(round): the edits end with \(codes)")
        }
    }

    func racingAnnotations(_ open: Opening) async throws {
        let store = try await open()
        let id = try Samples.shot().id
        try await store.shots.create(Samples.shot())
        let (none, mine, other) = (ShotAnnotation(), ShotAnnotation(title: "mine"), ShotAnnotation(title: "other"))
        try await store.annotations.replace(none, with: other, of: id)
        try await requireFailure(.conflict, "overwriting another annotation") {
            try await store.annotations.replace(none, with: mine, of: id)
        }
        try await store.annotations.replace(none, with: other, of: id)
        try require(try await store.annotations.annotation(of: id) == other, "it was overwritten")
    }
}
