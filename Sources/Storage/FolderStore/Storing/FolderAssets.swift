public import CaptureModel
internal import PosixSupport
public import StorageKit

/// Receives the files of a library's folder. Each node has one thread for receiving files, and another for hashing files that are in their
/// place, so that a slow file of one node does not delay another node's. Beyond ``threadLimit`` nodes, several share their threads.
public final class FolderAssets: Sendable {
    static let threadLimit = 32

    private struct State: Sendable {
        /// Bounded by the nodes of the roster.
        var nodes: [NodeName: NodeAssets] = [:]
        var threads: [(files: ThreadExecutor, hasher: FolderHasher)] = []
    }

    private let tree: FolderTree
    private let browser: FolderBrowser
    private let parts: FolderParts
    private let state = Locked(State())

    /// - Parameters:
    ///   - browser: Reads stored files.
    ///   - executor: Lists the folder `.incoming/`.
    init(tree: FolderTree, browser: FolderBrowser, executor: ThreadExecutor) {
        self.tree = tree
        self.browser = browser
        parts = FolderParts(tree: tree, executor: executor)
    }

    private func assets(of node: NodeName) throws(StorageError) -> NodeAssets {
        do throws(PosixError) {
            return try state.withLock { state throws(PosixError) in
                if let assets = state.nodes[node] { return assets }
                let number = state.nodes.count
                if state.threads.count < Self.threadLimit {
                    let hasher = FolderHasher(executor: try ThreadExecutor(name: "hash-\(number)"))
                    state.threads.append((try ThreadExecutor(name: "files-\(number)"), hasher))
                }
                let threads = state.threads[number % state.threads.count]
                let assets = NodeAssets(
                    node: node, tree: tree, hasher: threads.hasher, executor: threads.files)
                state.nodes[node] = assets
                return assets
            }
        } catch {
            throw StorageError(error)
        }
    }

    /// Returns the receivers of every node that has delivered files, or has parts from an earlier process.
    private func assetsOfAllNodes() async -> [NodeAssets] {
        for node in await parts.nodes() { _ = try? assets(of: node) }
        return state.withLock { Array($0.nodes.values) }
    }
}

extension FolderAssets: AssetStore {
    public func begin(_ key: FileKey, _ content: AssetContent) async throws(StorageError) -> UploadStart {
        try await assets(of: key.capture.device.node).begin(key, content)
    }

    @discardableResult
    public func append(_ bytes: any AssetBytes, to key: FileKey, at offset: Int64) async throws(StorageError) -> Int64 {
        try await assets(of: key.capture.device.node).append(bytes, to: key, at: offset)
    }

    public func commit(_ keys: [FileKey]) async -> [FileKey: Result<AssetLocation, StorageError>] {
        await withTaskGroup(of: [FileKey: Result<AssetLocation, StorageError>].self) { group in
            for (node, keys) in Dictionary(grouping: keys, by: \.capture.device.node) {
                group.addTask {
                    do throws(StorageError) {
                        return try await self.assets(of: node).commit(keys)
                    } catch {
                        return Dictionary(keys.map { ($0, .failure(error)) }) { $1 }
                    }
                }
            }
            return await group.reduce(into: [:]) { all, some in all.merge(some) { $1 } }
        }
    }

    public func suspend(_ key: FileKey) async {
        await (try? assets(of: key.capture.device.node))?.suspend(key)
    }

    public func forget(_ key: FileKey) async {
        await (try? assets(of: key.capture.device.node))?.forget(key)
    }

    public func forgetUploads(of shot: ShotID, except kept: Set<FileKey>) async {
        await withDiscardingTaskGroup { group in
            for assets in await assetsOfAllNodes() {
                group.addTask { await assets.forgetUploads(of: shot, except: kept) }
            }
        }
    }

    public func forgetUploads(exceptOf shots: Set<ShotID>) async {
        await withDiscardingTaskGroup { group in
            for assets in await assetsOfAllNodes() { group.addTask { await assets.forgetUploads(exceptOf: shots) } }
        }
    }

    public func remove(_ key: FileKey) async throws(StorageError) {
        try await assets(of: key.capture.device.node).remove(key)
    }

    public func location(of key: FileKey) -> AssetLocation { browser.location(of: key) }

    public func byteCount(of key: FileKey) async throws(StorageError) -> Int64? {
        try await browser.byteCount(of: key)
    }

    public func read(_ key: FileKey, at offset: Int64, count: Int) async throws(StorageError) -> [UInt8] {
        try await browser.read(key, at: offset, count: count)
    }

    public func content(of key: FileKey) async throws(StorageError) -> AssetContent? {
        try await browser.content(of: key)
    }

    public func list(
        _ scope: AssetScope, after: AssetLocation?, limit: Int
    ) async throws(StorageError) -> [AssetLocation] {
        try await browser.list(scope, after: after, limit: limit)
    }
}

/// The folder of uploads.
private actor FolderParts {
    private let tree: FolderTree
    private nonisolated let executor: ThreadExecutor

    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }

    init(tree: FolderTree, executor: ThreadExecutor) {
        self.tree = tree
        self.executor = executor
    }

    /// Returns the nodes that have parts in the folder.
    func nodes() -> Set<NodeName> {
        Set(((try? tree.incoming.folder.names()) ?? []).compactMap { FolderNames.owner(ofPart: $0)?.node })
    }
}
