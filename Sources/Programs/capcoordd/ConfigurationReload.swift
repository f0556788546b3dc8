import CoordinatorChannels
import Logging
import PosixSupport
import RigConfiguration

/// Reads a coordinator's configuration again while it runs, and says what it took over and what needs a restart. It runs on a thread that may
/// block on the disk.
actor ConfigurationReload {
    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }

    private nonisolated let executor: ThreadExecutor
    /// What is in effect.
    private var current: CoordinatorConfiguration
    private let read: @Sendable () throws -> CoordinatorConfiguration

    /// - Parameter current: What the coordinator was started with.
    init(
        of current: CoordinatorConfiguration, read: @escaping @Sendable () throws -> CoordinatorConfiguration
    ) throws {
        (self.current, self.read) = (current, read)
        executor = try ThreadExecutor(name: "reload")
    }

    func reload(_ coordinator: Coordinator, _ log: Logger) async {
        do {
            let written = try read()
            let changes = current.changes(to: written)
            current = current.reloading(written)
            await coordinator.reload(current)
            tell(changes, log)
        } catch {
            log.error(
                "the configuration cannot be reloaded; the one in effect stays", metadata: ["reason": "\(error)"])
        }
    }

    private func tell(_ changes: [CoordinatorConfiguration.Change], _ log: Logger) {
        let live = changes.filter(\.isLive).map { "\($0.key): \($0.new ?? "-")" }
        log.notice(
            "the configuration is reloaded",
            metadata: ["changed": "\(live.isEmpty ? "nothing" : live.joined(separator: ", "))"])
        let others = changes.filter { !$0.isLive }.map(\.key)
        guard !others.isEmpty else { return }
        log.warning(
            "changes of the configuration wait for a restart of capcoordd",
            metadata: ["keys": "\(others.joined(separator: ", "))"])
    }
}
