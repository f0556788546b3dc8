import CaptureModel
import CaptureTestSupport
import FolderStore
import RigTestSupport
import StorageKit

extension WireBench {
    /// A library with a complete shot of one camera.
    static func fill(_ folder: TemporaryFolder, photo bytes: [UInt8]) async throws {
        let store = try FolderStore(folder: folder.path + "/library")
        let (key, file) = (try Samples.fileKey(), Samples.file(bytes))
        let time = RigTime(nanoseconds: 1_000_000_000)
        var shot = Shot(
            id: Samples.shot(), time: time, rigClock: RigClockID(rawValue: "rig-0"),
            wallClock: WallClockPair(
                monotonic: time, realtimeNanoseconds: Samples.shot().unixMilliseconds * 1_000_000),
            coordinatorEpoch: Samples.epoch(7), request: ShotRequest(selection: Selection()),
            captures: [Capture(device: try Samples.status("north/cam").device)])
        _ = try await store.manifests.create(shot)
        _ = try await store.assets.begin(key, AssetContent(byteCount: file.byteCount, digest: file.digest))
        try await store.assets.append(bytes, to: key, at: 0)
        shot.captures[0].files[0].path = try await store.assets.commit(key).description
        shot.captures[0].files[0].outcome = .done
        (shot.captures[0].files[0].digest, shot.captures[0].files[0].byteCount) = (file.digest, file.byteCount)
        (shot.captures[0].phase, shot.status, shot.settledAt) = (.done, .complete, time)
        shot.revision = 1
        try await store.manifests.replace(0, with: shot)
    }
}
