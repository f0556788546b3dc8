public import CaptureModel
public import FoundationEssentials
public import RigProtocol

extension SettingsID {
    public var wire: Data { Data(bytes) }
}

extension SettingsRunID {
    public var wire: Data { Data(bytes) }
}

extension SettingOutcome {
    public init(wire: WireSettingOutcome) throws(WireError) {
        let reader = FieldReader("SettingOutcome")
        do throws(SettingsTextError) {
            let entry = try CaptureSettings.Entry(parsing: wire.entry)
            let result: Result? =
                switch wire.result {
                case .set(let text): .set(try SettingValue(entry, parsing: text))
                case .rounded(let text): .rounded(to: try SettingValue(entry, parsing: text))
                case .refused(let reason): .refused(reason.sentence(limit: WireLimits.reasonByteCount))
                case nil: nil
                }
            self.init(
                entry: entry, result: result ?? .refused("the outcome is of a kind that this version does not know"))
        } catch {
            throw reader.invalid("entry or value", "\(error)")
        }
    }

    public var wire: WireSettingOutcome {
        var wire = WireSettingOutcome()
        wire.entry = "\(entry)"
        switch result {
        case .set(let value): wire.set = "\(value)"
        case .rounded(let value): wire.rounded = "\(value)"
        case .refused(let reason): wire.refused = reason
        }
        return wire
    }
}

extension FieldReader {
    /// Returns the outcomes of the entries of a request.
    public func outcomes(_ wire: [WireSettingOutcome], _ field: String) throws(WireError) -> [SettingOutcome] {
        try list(wire, field, limit: CaptureSettings.limit).map { (outcome) throws(WireError) in
            try SettingOutcome(wire: outcome)
        }
    }

    /// Returns sentences about what else changes.
    public func notes(_ texts: [String], _ field: String = "notes") throws(WireError) -> [String] {
        try list(texts, field, limit: CaptureSettings.limit).map { $0.sentence(limit: WireLimits.reasonByteCount) }
    }
}

extension SettingsPreparation {
    init(wire: WireSettingsPreparation) throws(WireError) {
        let reader = FieldReader("SettingsPreparation")
        self.init(
            outcomes: try reader.outcomes(wire.outcomes, "outcomes"), notes: try reader.notes(wire.notes),
            leadNanoseconds: try reader.number(wire.leadNs, "lead_ns", in: WireLimits.timeout),
            isDeferred: wire.deferred, earlier: wire.hasEarlier ? try reader.anySettings(wire.earlier, "earlier") : nil)
    }

    var wire: WireSettingsPreparation {
        var wire = WireSettingsPreparation()
        wire.outcomes = outcomes.map(\.wire)
        wire.notes = notes
        wire.leadNs = leadNanoseconds
        wire.deferred = isDeferred
        if let earlier { wire.earlier = "\(earlier)" }
        return wire
    }
}

extension HeldSettings {
    init(wire: WireHeldSettings) throws(WireError) {
        let reader = FieldReader("HeldSettings")
        let waiting = try reader.list(wire.waiting, "waiting", limit: DesiredSettings.deferredLimit)
        self.init(
            revision: wire.revision.isEmpty ? nil : try reader.settingsID(wire.revision, "revision"),
            make: reader.hardware(wire.make), model: reader.hardware(wire.model),
            present: HardwareModel(
                make: reader.hardware(wire.presentMake), model: reader.hardware(wire.presentModel)),
            settings: try reader.anySettings(wire.settings, "settings"),
            waiting: try waiting.map { (id) throws(WireError) in try reader.settingsID(id, "waiting") })
    }

    var wire: WireHeldSettings {
        var wire = WireHeldSettings()
        wire.revision = revision?.wire ?? Data()
        wire.make = make ?? ""
        wire.model = model ?? ""
        wire.settings = "\(settings)"
        wire.waiting = waiting.map(\.wire)
        wire.presentMake = present.make ?? ""
        wire.presentModel = present.model ?? ""
        return wire
    }
}

extension SettingsEffect {
    public init(wire: WireSettingsEffect) throws(WireError) {
        let reader = FieldReader("SettingsEffect")
        self.init(
            accepted: try reader.bounded(wire.acceptedRigNs, wire.acceptedBoundNs, "accepted_bound_ns"),
            controls: try wire.controls.checked(),
            change: SettingsChangeover(
                evidence: try reader.word(wire.evidence, "evidence", as: SettingsChangeover.Evidence.self),
                lastOld: wire.hasLastOld ? try FrameMark(wire: wire.lastOld) : nil,
                firstNew: wire.hasFirstNew ? try FrameMark(wire: wire.firstNew) : nil,
                streamReopened: wire.streamReopened ? true : nil))
    }

    public var wire: WireSettingsEffect {
        var wire = WireSettingsEffect()
        wire.acceptedRigNs = accepted.time.nanoseconds
        wire.acceptedBoundNs = accepted.boundNanoseconds
        wire.controls.values = controls
        wire.evidence = change.evidence.rawValue
        if let lastOld = change.lastOld { wire.lastOld = lastOld.wire }
        if let firstNew = change.firstNew { wire.firstNew = firstNew.wire }
        wire.streamReopened = change.streamReopened ?? false
        return wire
    }
}

extension FrameMark {
    init(wire: WireFrameMark) throws(WireError) {
        self.init(
            sequence: wire.sequence,
            midExposure: try FieldReader("FrameMark").bounded(wire.rigNs, wire.boundNs, "bound_ns"))
    }

    var wire: WireFrameMark {
        var wire = WireFrameMark()
        wire.sequence = sequence
        wire.rigNs = midExposure.time.nanoseconds
        wire.boundNs = midExposure.boundNanoseconds
        return wire
    }
}

extension FieldReader {
    fileprivate func bounded(_ time: Int64, _ bound: Int64, _ field: String) throws(WireError) -> BoundedRigTime {
        BoundedRigTime(
            time: RigTime(nanoseconds: time),
            bound: .nanoseconds(try number(bound, field, in: WireLimits.nonNegative)))
    }
}
