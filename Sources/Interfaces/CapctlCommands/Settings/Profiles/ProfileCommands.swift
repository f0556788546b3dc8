internal import ArgumentParser
internal import CaptureModel
internal import RigClient

/// `capctl settings save`.
struct SettingsSaveCommand: ReportingCommand {
    static let help = CommandConfiguration(
        commandName: "save", abstract: "Save what the cameras are asked to hold under a name.",
        discussion: """
            Saves a version of the profile: for each selected camera the values that transactions have set, as the camera has accepted them. \
            Nothing is set. If the newest version has the same settings, no other one is made. Without a selection, all cameras are saved.
            """)

    static let examples: [CommandExample] = [
        .after("capctl settings set exposure=8ms --all", line: "capctl settings save night"),
        "capctl settings save portrait --device node1/cam1",
    ]

    @OptionGroup var rig: RigOptions
    @OptionGroup var output: FormatOptions
    @OptionGroup(title: "Which cameras") var cameras: SelectionOptions

    @Argument(help: ArgumentHelp("The name of the profile.", valueName: "name"), transform: ProfileName.argument)
    var name: ProfileName

    func perform(_ console: Console) async throws -> CommandStatus {
        let selection = cameras.isEmpty ? Selection() : cameras.selection
        let report = try await rig.withClient { client in
            let saved = try await client.saveProfile(name, of: selection)
            let words = await client.words(for: output, saved.profile)
            return SavedProfileReport(saved: saved, words: words)
        }
        try output.show(report, on: console)
        return report.status
    }
}

/// `capctl settings load`.
struct SettingsLoadCommand: ReportingCommand {
    static let help = CommandConfiguration(
        commandName: "load", abstract: "Set the cameras of a profile as it says, at one instant.",
        discussion: """
            A transaction as `capctl settings set`. Controls that the profile does not have stay as they are. A camera of another model than the \
            one that was saved is refused.
            """)

    static let examples: [CommandExample] = [
        "capctl settings load night",
        "capctl settings load night@1",
    ]

    @OptionGroup var rig: RigOptions
    @OptionGroup var output: FormatOptions
    @OptionGroup var transaction: TransactionOptions

    @Argument(
        help: ArgumentHelp("The profile: NAME for its newest version, or NAME@VERSION.", valueName: "profile"),
        transform: ProfileReference.argument)
    var profile: ProfileReference

    func perform(_ console: Console) async throws -> CommandStatus {
        try await rig.carryOut(transaction.request(.profile(profile)), console, output)
    }
}

/// `capctl settings undo`.
struct SettingsUndoCommand: ReportingCommand {
    static let help = CommandConfiguration(
        commandName: "undo", abstract: "Give cameras the values that they had before a transaction.",
        discussion: """
            A transaction as `capctl settings set`, for the cameras of the newest transaction that is not undone. What one `settings match`, \
            `lock` or `calibrate` has set is undone as one, to the values before it. A camera that the undo does not \
            reach is undone by the next `capctl settings undo`; when all are, that one undoes the transaction before. With --device, the newest \
            transaction of these cameras is undone at them alone, also while other cameras are busy. `capctl settings history` lists the transactions.
            """)

    static let examples: [CommandExample] = [
        .after("capctl settings set exposure=8ms --all", line: "capctl settings undo"),
        .after("capctl settings set exposure=4ms --all", line: "capctl settings undo last --device node1/cam1"),
    ]

    @OptionGroup var rig: RigOptions
    @OptionGroup var output: FormatOptions
    @OptionGroup var transaction: TransactionOptions

    @Option(
        help: ArgumentHelp(
            "A camera that is undone (all of the transaction); may be repeated.", valueName: "node/device"),
        completion: .devices, transform: { try DeviceID($0) })
    var device: [DeviceID] = []

    @Argument(
        help: ArgumentHelp(
            "The transaction or run: its id, the beginning or the last six characters of it, or last (default: the newest that is not undone).",
            valueName: "settings"),
        transform: SettingsReference.argument)
    var undone: SettingsReference?

    func perform(_ console: Console) async throws -> CommandStatus {
        var id = undone?.whole
        if let undone, id == nil { id = try await rig.withClient { try await $0.id(of: undone) } }
        let scope = UndoScope(id, cameras: device)
        return try await rig.carryOut(transaction.request(.undo(scope)), console, output)
    }
}

/// `capctl settings list`.
struct SettingsListCommand: ReportingCommand {
    static let help = CommandConfiguration(commandName: "list", abstract: "List the profiles.")

    static let examples: [CommandExample] = [
        "capctl settings list"
    ]

    @OptionGroup var rig: RigOptions
    @OptionGroup var output: FormatOptions

    func perform(_ console: Console) async throws -> CommandStatus {
        let report = ProfileListReport(profiles: try await rig.withClient { try await $0.profiles() })
        try output.show(report, on: console)
        return report.status
    }
}

/// `capctl settings remove`.
struct SettingsRemoveCommand: ReportingCommand {
    static let help = CommandConfiguration(
        commandName: "remove", abstract: "Remove a profile with all its versions.",
        discussion: "What the cameras hold stays as it is. Lists the profiles that remain.")

    static let examples: [CommandExample] = [
        "capctl settings remove portrait"
    ]

    @OptionGroup var rig: RigOptions
    @OptionGroup var output: FormatOptions

    @Argument(help: ArgumentHelp("The name of the profile.", valueName: "name"), transform: ProfileName.argument)
    var name: ProfileName

    func perform(_ console: Console) async throws -> CommandStatus {
        let report = ProfileListReport(profiles: try await rig.withClient { try await $0.removeProfile(name) })
        try output.show(report, on: console)
        return report.status
    }
}

/// `capctl settings history`.
struct SettingsHistoryCommand: ReportingCommand {
    static let help = CommandConfiguration(
        commandName: "history", abstract: "List the versions of a profile, or the newest transactions.")

    static let examples: [CommandExample] = [
        "capctl settings history",
        "capctl settings history night",
    ]

    @OptionGroup var rig: RigOptions
    @OptionGroup var output: FormatOptions

    @Argument(
        help: ArgumentHelp("The profile; omitted: the newest 64 settings transactions.", valueName: "name"),
        transform: ProfileName.argument)
    var name: ProfileName?

    func perform(_ console: Console) async throws -> CommandStatus {
        guard let name else {
            let report = try await rig.withClient { client in
                let past = try await client.settingsHistory()
                let settings = past.flatMap(\.cameras).flatMap { camera in
                    [camera.settings, camera.earlier].compactMap(\.self).map { (camera.device, $0.entries) }
                }
                let words = output.format == .table ? await client.words(for: settings) : SettingWords()
                return SettingsHistoryReport(transactions: past, words: words)
            }
            try output.show(report, on: console)
            return .complete
        }
        let profiles = try await rig.withClient { try await $0.profiles() }
        guard let found = profiles.first(where: { $0.name == name }) else {
            throw RigProblem(
                .unknownProfile, "the rig has no profile '\(name)'; `capctl settings list` lists the profiles")
        }
        let report = ProfileListReport(profiles: [found], withVersions: true)
        try output.show(report, on: console)
        return report.status
    }
}

/// `capctl settings diff`.
struct SettingsDiffCommand: ReportingCommand {
    static let help = CommandConfiguration(
        commandName: "diff",
        abstract: "Compare a profile with another one, or with what the cameras are asked to hold at present.")

    static let examples: [CommandExample] = [
        "capctl settings diff night",
        "capctl settings diff night portrait",
    ]

    @OptionGroup var rig: RigOptions
    @OptionGroup var output: NamelessFormatOptions

    @Argument(
        help: ArgumentHelp("The profile: NAME or NAME@VERSION.", valueName: "profile"),
        transform: ProfileReference.argument)
    var first: ProfileReference

    @Argument(
        help: ArgumentHelp("Another profile or version; omitted: what the cameras hold.", valueName: "profile"),
        transform: ProfileReference.argument)
    var second: ProfileReference?

    func perform(_ console: Console) async throws -> CommandStatus {
        let report = try await rig.withClient { client in
            let before = try await client.profile(first)
            let words = await client.words(for: output, before)
            guard let second else {
                return ProfileDiffReport(before, held: try await client.heldSettings(), words)
            }
            return ProfileDiffReport(before, try await client.profile(second), words)
        }
        try output.show(report, on: console)
        return report.status
    }
}

extension RigClient {
    /// How the settings of a profile read in a table that is not wide.
    fileprivate nonisolated func words(
        for output: some ReportOptions, _ profile: SettingsProfile
    ) async -> SettingWords {
        guard output.format == .table else { return SettingWords() }
        return await words(for: profile.cameras.map { ($0.device, $0.settings.entries) })
    }
}

extension ProfileName {
    /// Parses a name of the command line.
    static func argument(_ text: String) throws -> ProfileName {
        guard let name = ProfileName(text) else {
            throw ValidationError("'\(text)' is not the name of a profile: \(rule)")
        }
        return name
    }
}

extension ProfileReference {
    /// Parses a profile of the command line.
    static func argument(_ text: String) throws -> ProfileReference {
        guard let reference = ProfileReference(text) else {
            throw ValidationError("'\(text)' is not NAME or NAME@VERSION; a name has \(ProfileName.rule)")
        }
        return reference
    }
}
