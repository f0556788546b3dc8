public import CaptureModel
internal import FoundationEssentials
public import RigProtocol
internal import RigSecurity

extension NodeStatus {
    public init(wire: WireNodeStatus) throws(WireError) {
        let reader = FieldReader("NodeStatus")
        self.init(
            node: try reader.name(wire.node, "node"), isConnected: wire.connected,
            clockBound: wire.hasClockBoundNs ? .nanoseconds(wire.clockBoundNs) : nil,
            clock: wire.hasClock ? try ClockStatus(wire: wire.clock) : nil,
            ringDepth: .nanoseconds(wire.ringDepthNs), spoolUsedBytes: wire.spoolUsedBytes,
            spoolFreeBytes: wire.spoolFreeBytes, devices: Int(wire.devices), devicesRunning: Int(wire.devicesRunning),
            software: wire.software.sentence(limit: WireLimits.wordByteCount),
            busLibrary: wire.hasBusLibrary ? try BusLibrary(wire: wire.busLibrary) : nil,
            lastHeard: wire.lastHeardRigNs == 0 ? nil : RigTime(nanoseconds: wire.lastHeardRigNs),
            frames: wire.hasFrames ? try FramesStatus(wire: wire.frames) : nil,
            pressure: wire.hasPressure ? try SystemPressure(wire: wire.pressure) : nil,
            spoolShortage: wire.spoolShortage.isEmpty
                ? nil : wire.spoolShortage.sentence(limit: WireLimits.reasonByteCount))
    }

    public var wire: WireNodeStatus {
        var wire = WireNodeStatus()
        wire.node = node.rawValue
        wire.connected = isConnected
        if let clockBound { wire.clockBoundNs = clockBound.nanoseconds }
        if let clock { wire.clock = clock.wire }
        wire.ringDepthNs = ringDepth.nanoseconds
        wire.spoolUsedBytes = spoolUsedBytes
        wire.spoolFreeBytes = spoolFreeBytes
        wire.devices = UInt32(clamping: devices)
        wire.devicesRunning = UInt32(clamping: devicesRunning)
        wire.software = software
        if let busLibrary { wire.busLibrary = busLibrary.wire }
        wire.lastHeardRigNs = lastHeard?.nanoseconds ?? 0
        if let frames { wire.frames = frames.wire }
        if let pressure { wire.pressure = pressure.wire }
        wire.spoolShortage = spoolShortage ?? ""
        return wire
    }
}

extension ClockStatus {
    public init(wire: WireClockStatus) throws(WireError) {
        let reader = FieldReader("ClockStatus")
        _ = try reader.word(wire.source, "source", as: Source.self)
        self.init(
            offset: .nanoseconds(wire.offsetNs), ratePartsPerBillion: wire.ratePpb,
            roundTrip: .nanoseconds(try reader.number(wire.roundTripNs, "round_trip_ns", in: WireLimits.nonNegative)),
            shortestRoundTrip: .nanoseconds(
                try reader.number(wire.shortestRoundTripNs, "shortest_round_trip_ns", in: WireLimits.nonNegative)),
            source: Source(wire.hasNarrowedBy ? ClockReference.Source(rawValue: wire.narrowedBy) : nil),
            since: RigTime(nanoseconds: wire.sinceRigNs), newest: RigTime(nanoseconds: wire.newestRigNs),
            congestedSince: wire.hasCongestedSinceRigNs ? RigTime(nanoseconds: wire.congestedSinceRigNs) : nil,
            conflict: wire.hasConflict ? try ClockConflict(wire: wire.conflict) : nil)
    }

    public var wire: WireClockStatus {
        var wire = WireClockStatus()
        wire.offsetNs = offset.nanoseconds
        wire.ratePpb = ratePartsPerBillion
        wire.roundTripNs = roundTrip.nanoseconds
        wire.shortestRoundTripNs = shortestRoundTrip.nanoseconds
        // A reader of before `narrowed_by` knows no other word.
        wire.source = Source.probes.rawValue
        if let narrowing = source.narrowing { wire.narrowedBy = narrowing.rawValue }
        wire.sinceRigNs = since.nanoseconds
        wire.newestRigNs = newest.nanoseconds
        if let congestedSince { wire.congestedSinceRigNs = congestedSince.nanoseconds }
        if let conflict { wire.conflict = conflict.wire }
        return wire
    }
}

extension BusLibrary {
    public init(wire: WireBusLibrary) throws(WireError) {
        let reader = FieldReader("BusLibrary")
        self.init(version: try reader.word(wire.version, "version"), isHardened: wire.hardened)
    }

    public var wire: WireBusLibrary {
        var wire = WireBusLibrary()
        wire.version = version
        wire.hardened = isHardened
        return wire
    }
}

extension FramesStatus {
    public init(wire: WireFramesStatus) throws(WireError) {
        let reader = FieldReader("FramesStatus")
        guard (1...253).contains(wire.host.utf8.count), wire.host.utf8.allSatisfy(Self.isOfHost) else {
            throw reader.invalid("host", "must have 1 to 253 of a-z, A-Z, 0-9, '.', '-', '_', ':' and '%'")
        }
        self.init(
            host: wire.host, port: UInt16(clamping: try reader.number(wire.port, "port", in: 1...65_535)),
            watched: Int(wire.watched), published: try reader.count(wire.published, "published"),
            publishedBytes: try reader.count(wire.publishedBytes, "published_bytes"),
            scaled: try reader.count(wire.scaled, "scaled"),
            refusedConnections: try reader.count(wire.refusedConnections, "refused_connections"),
            key: wire.publicKey.isEmpty ? nil : try reader.publicKey(wire.publicKey).base64,
            viewersRevision: try reader.count(wire.viewersRevision, "viewers_revision"))
    }

    public var wire: WireFramesStatus {
        var wire = WireFramesStatus()
        wire.host = host
        wire.port = UInt32(port)
        wire.watched = UInt32(clamping: watched)
        wire.published = published
        wire.publishedBytes = publishedBytes
        wire.scaled = scaled
        wire.refusedConnections = refusedConnections
        if let key = key.flatMap(PublicKey.init(base64:)) { wire.publicKey = Data(key.bytes) }
        wire.viewersRevision = viewersRevision
        return wire
    }

    private static func isOfHost(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
            || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || ".-_:%".utf8.contains(byte)
    }
}

extension SystemPressure {
    public init(wire: WireNodePressure) throws(WireError) {
        let reader = FieldReader("NodePressure")
        var factors: [Factor] = []
        for factor in try reader.list(wire.factors, "factors", limit: WireLimits.labels) {
            factors.append(Factor(rawValue: try reader.word(factor, "factors")))
        }
        self.init(
            level: try reader.word(wire.level, "level", as: Level.self), factors: factors,
            reason: wire.reason.isEmpty ? nil : wire.reason.sentence(limit: WireLimits.reasonByteCount))
    }

    public var wire: WireNodePressure {
        var wire = WireNodePressure()
        wire.level = level.rawValue
        wire.factors = factors.prefix(WireLimits.labels).map(\.rawValue)
        wire.reason = (reason ?? "").sentence(limit: WireLimits.reasonByteCount)
        return wire
    }
}
