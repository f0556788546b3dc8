public import Logging
public import PosixSupport
public import RigConfiguration
public import SystemClock

extension MachineDiscipline {
    /// Makes the one of a daemon, which logs why it does not believe PTP.
    /// - Parameter environment: Of this process.
    /// - Returns: nil if the configuration leaves it off. Then no program is asked.
    /// - Throws: If no thread can be created.
    public static func configured(
        by settings: ClockSettings, environment: [String: String], log: Logger
    ) throws(PosixError) -> MachineDiscipline? {
        guard settings.discipline else { return nil }
        return try MachineDiscipline(environment: environment) { doubt in
            log.warning(
                "what PTP says of this machine's clock is not used", metadata: ["reason": "\(doubt)"])
        }
    }
}
