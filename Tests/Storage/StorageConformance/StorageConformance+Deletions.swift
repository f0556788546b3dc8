import CaptureModel
import StorageKit

extension StorageConformance {
    private static func deletion(of shot: Shot, by name: String = "anna") -> ShotDeletion {
        ShotDeletion(
            shot: shot.id, isTake: false, realtimeNanoseconds: 1_795_260_000_000_000_000, by: name, reason: .requested,
            wasOnlyCopy: true, files: 1, byteCount: 2500)
    }

    /// A store with a settled shot, its photo and its title, and another shot.
    private func settled(_ open: Opening) async throws -> (OpenStore, Shot) {
        let store = try await open()
        let bytes = Samples.bytes(2500)
        try await store.shots.create(Samples.shot())
        try await store.shots.create(Samples.shot(2))
        try await store.assets.collect(Samples.photo(), bytes)
        var shot = try Samples.shot().storing(bytes)
        shot.status = .partial
        try await store.shots.replace(0, with: shot)
        _ = try await store.annotations.edit(shot.id, ShotAnnotationEdit(title: "Gipfel"))
        return (store, shot)
    }

    func deleted(_ open: Opening) async throws {
        var (store, shot): (OpenStore?, Shot) = try await settled(open)
        let deletion = Self.deletion(of: shot)
        try require(try await store?.shots.deletion(of: shot.id) == nil, "it is known as deleted before")
        try await store?.shots.delete(deletion)
        if let store { try await requireGone(deletion, store) }
        store = nil
        let next = try await open()
        try require(await next.shots.finishDeletions().isEmpty, "something is left of a finished deletion")
        try await requireGone(deletion, next)
        try require(try await next.shots.shot(Samples.shotID(2)) == Samples.shot(2), "the other shot is not as it was")
    }

    private func requireGone(_ deletion: ShotDeletion, _ store: OpenStore) async throws {
        let id = deletion.shot
        try require(try await store.shots.deletion(of: id) == deletion, "its record is read otherwise")
        try require(try await store.shots.shot(id) == nil, "the shot is still read")
        try require(try await store.shots.manifestBytes(of: id) == nil, "its manifest is still read")
        try require(try await store.shots.day(of: id) == nil, "it still has a day")
        try require(try await store.annotations.annotation(of: id).isEmpty, "its title is still read")
        try require(try await store.assets.byteCount(of: Samples.photo()) == nil, "its photo is still there")
        try require(try await store.assets.list(.shot(id)).isEmpty, "its files are still listed")
        let listed = try await store.shots.shots(limit: 10)
        try require(listed.shots.map(\.id) == [Samples.shotID(2)] && listed.damaged.isEmpty, "listed are \(listed)")
        try require(try await store.assets.list(.strays).isEmpty, "something belongs to no shot")
    }

    func deletedOnce(_ open: Opening) async throws {
        let (store, shot) = try await settled(open)
        try await store.shots.delete(Self.deletion(of: shot))
        try await store.shots.delete(Self.deletion(of: shot, by: "ben"))
        try require(try await store.shots.deletion(of: shot.id)?.by == "anna", "the record was replaced")
        try await requireFailure(.conflict, "creating a deleted shot") { try await store.shots.create(Samples.shot()) }
        try await requireFailure(.notFound, "receiving a file of a deleted shot") {
            _ = try await store.assets.begin(Samples.photo(), Samples.content([1]))
        }
        try require(try await store.shots.shot(shot.id) == nil, "the shot is back")
    }

    func deletedWithoutAShot(_ open: Opening) async throws {
        let store = try await open()
        try await requireFailure(.notFound, "deleting an unknown shot") {
            try await store.shots.delete(Self.deletion(of: Samples.shot()))
        }
        try require(try await store.shots.deletion(of: Samples.shotID()) == nil, "it is known as deleted")
        try await store.shots.create(Samples.shot())
        try require(await store.shots.finishDeletions().isEmpty, "a deletion was begun")
        try require(try await store.shots.shot(Samples.shotID()) == Samples.shot(), "the shot is not as it was")
    }
}
