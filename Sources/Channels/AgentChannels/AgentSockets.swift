import RigWire
import ZeroMQ

/// The agent's three connections. The clock has a thread of its own, so that bulk cannot delay its stamps.
struct AgentSockets: Sendable {
    let control: DealerSocket
    let clock: DealerSocket
    let collect: DealerSocket

    init(context: ZeroMQContext) throws(ZeroMQError) {
        control = try DealerSocket(
            context: context, executor: try SocketExecutor(name: "zmq-control"),
            options: Self.options(WireCoding.control.maximumByteCount))
        clock = try DealerSocket(
            context: context, executor: try SocketExecutor(name: "zmq-clock"),
            options: Self.options(WireCoding.clock.maximumByteCount))
        // The limit holds for what is sent, too.
        var collectOptions = Self.options(WireCoding.maximumChunkByteCount)
        // The window of chunks the coordinator may have under way, with room to spare.
        collectOptions.sendQueueByteLimit = 64 << 20
        collect = try DealerSocket(
            context: context, executor: try SocketExecutor(name: "zmq-collect"), options: collectOptions)
    }

    func close() async {
        await control.close()
        await clock.close()
        await collect.close()
    }

    private static func options(_ maximumMessageSize: Int) -> SocketOptions {
        var options = SocketOptions()
        options.maximumMessageSize = maximumMessageSize
        options.reconnectIntervalMax = .seconds(1)
        return options
    }
}
