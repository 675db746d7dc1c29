//! The log's level, asked and set by service, on distributions that have these services (Iron and newer).

use r2r::Node;
use tokio::runtime::Handle;

use super::log::Log;

/// Offers `~/get_logger_levels` and `~/set_logger_levels`, where the distribution knows them.
///
/// # Errors
/// When the middleware refuses a service.
#[cfg(not(logger_levels))]
#[allow(clippy::unnecessary_wraps)]
pub fn serve(_node: &mut Node, _runtime: &Handle, _log: &Log) -> r2r::Result<()> {
    Ok(())
}

/// Offers `~/get_logger_levels` and `~/set_logger_levels`.
///
/// # Errors
/// When the middleware refuses a service.
#[cfg(logger_levels)]
pub fn serve(node: &mut Node, runtime: &Handle, log: &Log) -> r2r::Result<()> {
    use futures::StreamExt;
    use r2r::{
        QosProfile,
        rcl_interfaces::{
            msg::{LoggerLevel, SetLoggerLevelsResult},
            srv::{GetLoggerLevels, SetLoggerLevels},
        },
    };

    use super::level::Level;

    // A client that has gone needs no answer: errors of respond are let go.
    let qos = QosProfile::services_default();
    let mut asked = node.create_service::<GetLoggerLevels::Service>("~/get_logger_levels", qos.clone())?;
    let own = log.clone();
    runtime.spawn(async move {
        while let Some(request) = asked.next().await {
            let level = |name: &String| LoggerLevel {
                name: name.clone(),
                // 0 is a level that was never set.
                level: if name == own.name() { own.least() as u32 } else { 0 },
            };
            let levels = request.message.names.iter().map(level).collect();
            let _ = request.respond(GetLoggerLevels::Response { levels });
        }
    });
    let mut asked = node.create_service::<SetLoggerLevels::Service>("~/set_logger_levels", qos)?;
    let own = log.clone();
    runtime.spawn(async move {
        while let Some(request) = asked.next().await {
            let set = |wanted: &LoggerLevel| match Level::numbered(wanted.level) {
                _ if wanted.name != own.name() => {
                    Err(format!("there is no logger {:?} here, only {}", wanted.name, own.name()))
                }
                None => Err(format!("expected a level of 10, 20, 30, 40 or 50, got {}", wanted.level)),
                Some(level) => {
                    own.set_least(level);
                    Ok(())
                }
            };
            let result = |wanted: &LoggerLevel| {
                let reason = set(wanted).err().unwrap_or_default();
                SetLoggerLevelsResult { successful: reason.is_empty(), reason }
            };
            let results = request.message.levels.iter().map(result).collect();
            let _ = request.respond(SetLoggerLevels::Response { results });
        }
    });
    Ok(())
}
