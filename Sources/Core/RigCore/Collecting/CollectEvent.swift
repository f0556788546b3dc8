package import CaptureModel
import StorageKit

/// An event in the collecting of files.
enum CollectEvent: Sendable {
    // Requests of shots.

    /// A file of a node's spool is to be fetched.
    case wanted(FileKey, SpooledFile, isAwaited: Bool)
    /// Somebody begins or stops waiting for the files of a shot.
    case prioritized(ShotID, isAwaited: Bool)
    /// A manifest with a file's outcome is durable: its digest, or nil for a failure.
    case durable(FileKey, ContentDigest?)
    /// A file will not arrive.
    case abandoned(FileKey)
    /// Every file of a shot has its outcome.
    case settled(ShotID)
    /// A manifest already records that the file is stored, so none will follow.
    case known(FileKey)

    // Events of nodes.

    /// A node can be asked for chunks, over a connection without requests in progress.
    case connected(NodeName)
    case disconnected(NodeName)
    case received(CollectChunk)
    /// A node cannot send a chunk.
    case refused(FileKey, RigProblem)
    /// A node has released a file, as ordered.
    case letGo(FileKey)

    // Answers of the store.

    case begun(FileKey, SpooledFile, Result<UploadStart, StorageError>)
    /// A chunk was written, or could not be.
    case written(FileKey, StorageError?)
    case committed(NodeName, [FileKey: Result<AssetLocation, StorageError>])

    case timePassed
}

/// An action that follows from a ``CollectEvent``.
enum CollectAction: Hashable, Sendable {
    /// Send an order to a node.
    case send(CollectOrder)
    /// A node must say hello on the collect channel.
    case requireHello(NodeName)

    // Requests to the store. Those of one node keep this order, except `commit`, which follows the writing of all its
    // files.

    case begin(FileKey, SpooledFile)
    /// Write the chunk that has arrived.
    case write(CollectChunk)
    /// Store the node's complete files. ``CollectMachine/removeComplete(of:)`` names them when that begins.
    case commit(NodeName)
    case suspend(FileKey)
    case forget(FileKey)
    /// Remove the parts of the shot's files that are no longer fetched.
    case tidy(ShotID)

    // Reports to the shot.

    case stored(FileKey, AssetLocation)
    case failed(FileKey, RigProblem)

    // Reports to people.

    /// A chunk that was not requested was dropped.
    case ignored(CollectChunk)
    case tellDamaged(FileKey, RigProblem)
    case tellOverdue(NodeName)
}

/// A part of a file that is requested at once.
package struct CollectChunk: Hashable, Sendable {
    package var key: FileKey
    package var offset: Int64
    /// Bytes.
    package var count: Int64

    package init(key: FileKey, offset: Int64, count: Int64) {
        self.key = key
        self.offset = offset
        self.count = count
    }

    /// The node whose spool has it.
    var node: NodeName { key.capture.device.node }
}

/// An order to a node on the collect channel.
package enum CollectOrder: Hashable, Sendable {
    /// The node is to send a chunk.
    case request(CollectChunk)
    /// The node may release a file: the file with this digest is durable, or, without a digest, the file's failure.
    case release(FileKey, ContentDigest?)

    package var node: NodeName {
        switch self {
        case .request(let chunk): chunk.node
        case .release(let key, _): key.capture.device.node
        }
    }
}

/// The order in which chunks are requested and written, the first rank first.
enum CollectRank: Int, Comparable, CaseIterable, Sendable {
    /// Somebody waits for the file, and the picture is useless without it.
    case awaitedStill
    /// Somebody waits for the file, which is made after the picture: a clip, a still that is encoded, or a movie.
    case awaited
    /// Nobody waits for the file.
    case backlog

    init(_ kind: AssetKind, isAwaited: Bool) {
        self = !isAwaited ? .backlog : kind.isMadeLater ? .awaited : .awaitedStill
    }

    static func < (first: Self, second: Self) -> Bool { first.rawValue < second.rawValue }
}
