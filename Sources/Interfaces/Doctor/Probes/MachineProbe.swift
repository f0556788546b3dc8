public import CaptureModel
internal import DaemonSupport
public import PosixSupport
internal import SystemClock
internal import ZeroMQ

/// Asks this machine for facts that need no configuration.
public struct MachineProbe: Sendable {
    private let time: any TimeSource

    public init(time: any TimeSource) {
        self.time = time
    }

    /// How the machine keeps its clocks.
    public func clock() -> ClockFacts {
        ClockFacts(
            isSynchronized: (try? WallClockState.read())?.isSynchronized, services: Set(ClockProgram.running().keys),
            slept: time.timeSlept(), maySleep: !Self.isMasked("sleep.target"))
    }

    /// What the system lets a daemon have.
    /// - Parameters:
    ///   - program: Its name, which is also its unit.
    ///   - running: The daemon, if it runs.
    public func limits(of program: String, _ running: RunningProcess?) -> LimitFacts {
        let library = ZeroMQLibrary.linked
        return LimitFacts(
            program, descriptors: running?.descriptorLimit ?? (try? DescriptorLimit.most()), isRunning: running != nil,
            backlog: KernelSetting.numbers("net.core.somaxconn")?.first,
            receiveBufferBytes: KernelSetting.numbers("net.ipv4.tcp_rmem")?.last,
            libraryVersion: library.version, isLibraryHardened: library.isHardened,
            isProgramReplaced: running?.isProgramReplaced)
    }

    /// Returns the daemon that uses a folder; nil if none does.
    public static func daemon(_ program: String, using folder: String) -> RunningProcess? {
        FolderLock.namedHolder(ofFolder: folder).flatMap { $0.name == program ? $0 : nil }
    }

    /// Returns whether a daemon can listen on an address. Waits for name servers.
    /// - Parameters:
    ///   - program: The daemon's name.
    ///   - running: The daemon, if it runs.
    public static func listening(
        on host: String, port: UInt16, setting: String, _ program: String, _ running: RunningProcess?
    ) -> ListenFacts.State {
        do {
            let address = try ListenAddress(option: nil, configured: host, key: "\(setting).host").resolved()
            let numeric = address == "*" ? nil : address
            // A socket cannot be bound to the name of an interface; ZeroMQ looks its address up.
            guard numeric.map({ !HostAddresses.isInterface($0) }) ?? true else { return .free }
            return state(TCPCheck.obstacle(toListeningOn: numeric, port: port), port, program, running)
        } catch {
            return .noAddress("\(error)")
        }
    }

    private static func state(
        _ obstacle: PosixError?, _ port: UInt16, _ program: String, _ running: RunningProcess?
    ) -> ListenFacts.State {
        guard let obstacle else { return .free }
        guard obstacle.isTaken else { return .noAddress(obstacle.reason) }
        guard running == nil else { return .own }
        let holder = TCPListener.holder(ofPort: port)?.name
        // It may have begun a moment ago.
        return holder == program ? .own : .taken(by: holder)
    }

    /// A unit that an administrator has masked is a link to `/dev/null`.
    private static func isMasked(_ unit: String) -> Bool {
        ["/etc/systemd/system", "/run/systemd/system"].contains { SymbolicLink.target("\($0)/\(unit)") == "/dev/null" }
    }
}
